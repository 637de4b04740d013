import { boundaries, repeats, seeded } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { capturing, polling, sortedSandboxIds } from './capture-kills/capturing.ts'

/**
 * What is left of a sandbox that is being captured for an agent with its memory when host daemon or server are killed.
 */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' } })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const moments = boundaries({
  of: 'the capture of an agent with its memory',
  killed: 'host daemon, and server',
  at: ['the copy is cleaned', 'memory is searched'],
})
const kills = repeats({
  what: 'kills of the host daemon, and of the server, anywhere in the capture of an agent with its memory',
  byDefault: 0,
  full: 4,
})

const sandboxIds = () => sortedSandboxIds(installation)

test.each(['host', 'server'] as const)(
  'C11: a %s that is killed while memory is kept leaves a source that keeps running, and nothing of the copy',
  async (killed) => {
    const { client } = installation
    const source = await installation.newThread()
    await cell(source, 'held = 41')
    const before = await sandboxIds()
    const random = seeded(`kills of the ${killed} while memory is captured`)
    for (let kill = 0; kill < moments.length + kills; kill += 1) {
      const until = moments[kill] ?? { afterMs: random.between(100, 6000) }
      const { ended } = await capturing(installation, { threadId: source.id, keepMemory: true, until })
      await installation[killed].kill('SIGKILL')
      await installation[killed].restart()
      const made = await ended
      if (made !== undefined) await client.agents.discard(made)
      expect(await cell(source, 'print(held)')).toBe('41')
      // Before the next kill too: a host daemon that keeps running might still be working on this copy.
      await expect.poll(sandboxIds, polling).toEqual(before)
    }
  },
  1_200_000,
)

import { hostPaths } from '@threadbox/protocol/host'
import { boundaries, repeats, seeded } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell, output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'
import { capturing, polling, sortedSandboxIds } from './capture-kills/capturing.ts'

/** What is left of a sandbox that is being captured for an agent when the host daemon is killed. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' } })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const moments = boundaries({
  of: 'the capture of an agent',
  killed: 'host daemon',
  at: ['the disk is copied', 'the copy is cleaned'],
})
const kills = repeats({ what: 'kills of the host daemon anywhere in the capture of an agent', byDefault: 0, full: 6 })

const sandboxIds = () => sortedSandboxIds(installation)

test('C11: a host daemon that is killed during a capture leaves a running source, and nothing of the copy', async () => {
  const { client, host } = installation
  const source = await installation.newThread()
  await cell(source, 'held = 41')
  const before = await sandboxIds()
  const random = seeded('kills while an agent is captured')
  for (let kill = 0; kill < moments.length + kills; kill += 1) {
    const until = moments[kill] ?? { afterMs: random.between(50, 4500) }
    const { ended } = await capturing(installation, { threadId: source.id, keepMemory: false, until })
    await host.kill('SIGKILL')
    await host.restart()
    const made = await ended
    if (made !== undefined) await client.agents.discard(made)
    expect(await cell(source, 'print(held)')).toBe('41')
    await expect.poll(sandboxIds, polling).toEqual(before)
  }
}, 1_200_000)

test('C11: a capture takes no disk space of its own, and its space is freed', async () => {
  const { client, host } = installation
  const source = await installation.newThread()
  const others = await sandboxIds()
  const used = async () => {
    const { body } = await host.request('GET', hostPaths.info())
    return (body as { poolUsedBytes: number }).poolUsedBytes
  }
  await output(source, 'true')
  const usedEmpty = await used()
  await output(source, 'head -c 40000000 /dev/urandom > large; sync')
  await expect.poll(used, polling).toBeGreaterThan(usedEmpty + 39_000_000)
  const usedBefore = await used()
  const { id } = await client.agents.capture(source.id)
  const agent = await client.agents.create({ name: 'Large', environment: { id } })
  expect((await used()) - usedBefore).toBeLessThan(20_000_000)
  await client.threads.delete(source.id)
  const started = await client.agents.start(agent.id)
  expect(await output(testThread(client, started.id), 'stat -c %s large')).toBe('40000000\n')
  await client.threads.delete(started.id)
  await client.agents.delete(agent.id)
  await expect.poll(sandboxIds, polling).toEqual(others)
  await expect.poll(used, polling).toBeLessThan(usedBefore - 20_000_000)
}, 1_200_000)

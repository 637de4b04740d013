import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { comesTo } from '../stack/comes-to.ts'
import { cell, output } from '../stack/in-threads.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'
import { boundaries, repeats, seeded } from '../stack/repeats.ts'

/** What is left of a sandbox that is being saved for an agent when host daemon or server are killed. */
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
const memoryMoments = boundaries({
  of: 'the capture of an agent with its memory',
  killed: 'host daemon, and server',
  at: ['the copy is cleaned', 'memory is searched'],
})
const kills = repeats({ what: 'kills of the host daemon anywhere in the capture of an agent', byDefault: 0, full: 6 })
const memoryKills = repeats({
  what: 'kills of the host daemon, and of the server, anywhere in the capture of an agent with its memory',
  byDefault: 0,
  full: 4,
})
type Moment = (typeof moments)[number] | (typeof memoryMoments)[number]

const patience = { timeout: 120_000, interval: 200 }
const sandboxIds = async () => (await sandboxIdsOf(installation)).toSorted()

/** Programs that the host daemon runs, by their names in a release. */
async function hostPrograms(): Promise<string[]> {
  const pid = installation.host.pid()
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const commandLines = children
    .split(' ')
    .filter((child) => child !== '')
    .map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => ''))
  return await Promise.all(commandLines)
}

/** Starts to save a thread, and resolves when that has come to a moment, or after a time. */
async function capturing(threadId: string, options: { keepMemory: boolean; until: Moment | { afterMs: number } }) {
  const { keepMemory, until } = options
  const disks = path.join(installation.host.diskDirectory, 'pool/disks')
  const before = await readdir(disks)
  const ended = installation.client.agents.capture(threadId, { keepMemory }).then(
    ({ id }) => id,
    () => undefined,
  )
  const runs = async (program: string) => (await hostPrograms()).some((line) => line.includes(`/${program}/`))
  const isThere: Record<Moment, () => Promise<boolean>> = {
    'the disk is copied': async () => (await readdir(disks)).some((disk) => !before.includes(disk)),
    'the copy is cleaned': () => runs('disk-cleaner'),
    'memory is searched': () => runs('memory-searcher'),
  }
  if (typeof until === 'string') await comesTo(isThere[until], ended)
  else await delay(until.afterMs)
  return { ended }
}

test('C11: a host daemon that is killed while it captures leaves a source that goes on, and nothing of the copy', async () => {
  const { client, host } = installation
  const source = await installation.newThread()
  await cell(source, 'held = 41')
  const before = await sandboxIds()
  const random = seeded('kills while an agent is captured')
  for (let kill = 0; kill < moments.length + kills; kill += 1) {
    const until = moments[kill] ?? { afterMs: random.between(50, 4500) }
    const { ended } = await capturing(source.id, { keepMemory: false, until })
    await host.kill('SIGKILL')
    await host.restart()
    const made = await ended
    if (made !== undefined) await client.agents.discard(made)
    expect(await cell(source, 'print(held)')).toBe('41')
    await expect.poll(sandboxIds, patience).toEqual(before)
  }
}, 1_200_000)

test.each(['host', 'server'] as const)(
  'C11: a %s that is killed while memory is kept leaves a source that goes on, and nothing of the copy',
  async (killed) => {
    const { client } = installation
    const source = await installation.newThread()
    await cell(source, 'held = 41')
    const before = await sandboxIds()
    const random = seeded(`kills of the ${killed} while memory is captured`)
    for (let kill = 0; kill < memoryMoments.length + memoryKills; kill += 1) {
      const until = memoryMoments[kill] ?? { afterMs: random.between(100, 6000) }
      const { ended } = await capturing(source.id, { keepMemory: true, until })
      await installation[killed].kill('SIGKILL')
      await installation[killed].restart()
      const made = await ended
      if (made !== undefined) await client.agents.discard(made)
      expect(await cell(source, 'print(held)')).toBe('41')
      // Before the next kill, too: a host daemon that lives on may still be at work on this copy.
      await expect.poll(sandboxIds, patience).toEqual(before)
    }
  },
  1_200_000,
)

test('C11: what is captured takes no room of its own, and what was taken comes back', async () => {
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
  await expect.poll(used, patience).toBeGreaterThan(usedEmpty + 39_000_000)
  const usedBefore = await used()
  const { id } = await client.agents.capture(source.id)
  const agent = await client.agents.create({ name: 'Large', environment: { id } })
  expect((await used()) - usedBefore).toBeLessThan(20_000_000)
  await client.threads.delete(source.id)
  const started = await client.agents.start(agent.id)
  expect(await output(testThread(client, started.id), 'stat -c %s large')).toBe('40000000\n')
  await client.threads.delete(started.id)
  await client.agents.delete(agent.id)
  await expect.poll(sandboxIds, patience).toEqual(others)
  await expect.poll(used, patience).toBeLessThan(usedBefore - 20_000_000)
}, 1_200_000)

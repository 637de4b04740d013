import { hostPaths } from '@threadbox/protocol/host'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { changesOf, count, counter, messagesOf, output, reported, run, untilKept } from './memory-snapshots/turns.ts'

/** The turns whose memory is kept. */
let installation: TestInstallation
let model: ModelServer
beforeAll(async () => {
  model = await startModelServer()
  installation = await startInstallation({ memorySnapshots: 16 })
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await model?.close()
})

const pollOptions = { timeout: 60_000, interval: 100 }
const snapshotsOf = (thread: TestThread) => installation.client.snapshots.list(thread.id)

test('C9: the oldest memory is removed first and its space is freed; a rewind to a turn without memory is cold, with a report, and is undone with memory', async () => {
  const thread = await installation.newThread()
  const { client } = installation
  const { threads, sandboxes } = client
  const poolBytes = async () => {
    const { body } = await installation.host.request('GET', hostPaths.info())
    return (body as { poolUsedBytes: number }).poolUsedBytes
  }
  const started = 'nohup sleep 5500 > /dev/null 2>&1 & head -c 64M /dev/urandom > /dev/shm/large;'
  await run(thread, `echo 1 > /home/user/note; ${started} ${counter} ${count(1)}`)
  await untilKept(installation, thread)
  await run(thread, `echo 2 > /home/user/note; pkill -x -f 'sleep 5500'; ${count(2)}`)
  await run(thread, `echo 3 > /home/user/note; nohup sleep 6000 > /dev/null 2>&1 & ${count(3)}`)
  await untilKept(installation, thread)
  const { usage, snapshots } = await snapshotsOf(thread)
  expect(usage.memoryCount).toBe(3)
  expect(snapshots.every(({ memoryBytes }) => (memoryBytes ?? 0) > 64 * 1024 * 1024)).toBe(true)
  const full = await poolBytes()
  await client.installation.updateSettings({ settings: { memorySnapshotsPerThread: 1 } })
  await expect.poll(async () => (await snapshotsOf(thread)).usage.memoryCount, pollOptions).toBe(1)
  expect((await snapshotsOf(thread)).snapshots).toMatchObject([
    ...[{ memoryProblem: null }, { state: 'kept', memoryProblem: 'removed' }, { memoryProblem: 'removed' }],
  ])
  await expect.poll(async () => full - (await poolBytes()), pollOptions).toBeGreaterThan(100 * 1024 * 1024)

  const target = (await messagesOf(thread))[1]?.id ?? ''
  expect(await threads.previewRewind(thread.id, target)).toMatchObject({ bringsMemory: false })
  const changes = await changesOf(installation, { id: thread.id, entryId: target })
  // The counter is a loop of the shell.
  expect(changes.toSorted()).toEqual(['lost sleep 5500', 'removed bash', 'removed sleep 6000'])
  const { rewindId } = await threads.rewind(thread.id, target)
  expect((await sandboxes.get(thread.id)).sandbox.state).toBe('cold')
  await installation.client.files.read(thread.id, '/home/user/note').then((answer) => answer.text())
  await sandboxes.wake(thread.id)
  const wakes = (await thread.entries()).filter((entry) => entry.kind === 'wake')
  expect(wakes.at(-1)).toMatchObject({ report: { from: 'disk', cause: { code: 'rewound' } } })
  expect((await reported(thread)).items).toContain('lost process sleep 5500')
  await threads.undoRewind(thread.id, rewindId)
  expect(await run(thread, `cat /home/user/note; ${count(4)}`)).toMatch(/^3\n\d+ 4\n$/)
})

test('C9: a turn that did not use the sandbox shares the previous turn’s snapshot and memory, even after a preview of a rewind', async () => {
  const { threads, models } = installation.client
  await installation.client.installation.updateSettings({ settings: { memorySnapshotsPerThread: 16 } })
  const baseUrl = model.baseUrls.anthropic
  await models.connect({ provider: 'anthropic', model: 'test-model', baseUrl, apiKey: 'key' })
  const thread = await installation.newThread()
  await run(thread, 'echo 1 > /home/user/note')
  // An agent’s turn starts a kernel, whose first start in a sandbox makes directories.
  await output(thread, '/python print(1)')
  const [pid] = (await run(thread, `echo 2 > /home/user/note; ${counter} ${count(1)}`)).split(' ')
  await untilKept(installation, thread)
  const before = await messagesOf(thread)
  for (const { id } of before) {
    const { disk } = await threads.previewRewind(thread.id, id)
    expect(disk.files?.map(({ path }) => path)).toContain('/home/user/note')
  }
  model.reply({ text: 'Hello.' })
  expect((await thread.say('hello')).turn).toMatchObject({ status: 'finished' })
  await untilKept(installation, thread)
  const { snapshots } = await snapshotsOf(thread)
  expect(snapshots).toHaveLength(4)
  const [shared, own] = snapshots
  expect(shared).toMatchObject({ id: own?.id, memoryBytes: expect.any(Number), memoryProblem: null })
  await run(thread, `echo 3 > /home/user/note; ${count(2)}`)
  const target = (await messagesOf(thread)).at(-1)
  await threads.rewind(thread.id, target?.id ?? '')
  expect(await run(thread, `cat /home/user/note; ${count(2)}`)).toBe(`2\n${pid} 2\n`)
})

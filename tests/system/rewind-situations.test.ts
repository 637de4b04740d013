import { isFull } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { viewTerminal } from '../stack/terminal-view.ts'
import { messagesOf, output, untilKept } from './memory-snapshots/turns.ts'
import { inKernel, inMemory, onDisk, type Situation } from './rewind-situations/situations.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ memorySnapshots: 2 })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

/** With 0 seconds, memory is saved with the files, however busy the machine is; with many, only for a later message. */
const saveAfter = (memorySnapshotQuietSeconds: number) =>
  installation.client.installation.updateSettings({ settings: { memorySnapshotQuietSeconds } })

const pollOptions = { timeout: 60_000, interval: 100 }
const say = (thread: TestThread, message: string) =>
  output(thread, message.startsWith('/') ? message : `/run ${message}`)

/** What the newest turn records of its memory. */
async function recordOf(thread: TestThread): Promise<string | null> {
  await untilKept(installation, thread)
  const [newest] = (await installation.client.snapshots.list(thread.id)).snapshots
  return newest?.memoryBytes === null ? newest.memoryProblem : 'kept'
}

/** Rewinds to before the thread’s message with this index; returns what the preview promised. */
async function rewind(thread: TestThread, index: number) {
  const target = (await messagesOf(thread))[index]?.id ?? ''
  const { bringsMemory, nothingRan } = await installation.client.threads.previewRewind(thread.id, target)
  await installation.client.threads.rewind(thread.id, target)
  return { bringsMemory, nothingRan }
}

/** Makes each situation, changes all of them, rewinds, and compares each with what it was. */
async function checkAll(situations: readonly Situation[], promised: { bringsMemory: boolean; nothingRan: boolean }) {
  const thread = await installation.newThread()
  await saveAfter(600)
  for (const { begin } of situations) await say(thread, begin)
  // A check can change what it shows: what it is compared with is then in the table.
  const open = situations.filter(({ shows }) => shows === undefined)
  const shown = new Map<Situation, string>()
  for (const situation of open) shown.set(situation, await say(thread, situation.check))
  await saveAfter(0)
  await say(thread, 'true')
  expect(await recordOf(thread)).toBe(promised.nothingRan ? 'nothing-ran' : 'kept')
  const index = (await messagesOf(thread)).length
  await saveAfter(600)
  for (const { change } of situations) await say(thread, change)
  await saveAfter(0)
  expect(await rewind(thread, index)).toEqual(promised)
  for (const situation of situations) {
    expect(await say(thread, situation.check), situation.what).toBe(situation.shows ?? shown.get(situation))
  }
  const lost = (await thread.entries()).flatMap((entry) => (entry.kind === 'wake' ? entry.report.items : []))
  expect(lost.filter(({ outcome }) => outcome === 'lost')).toEqual([])
}

const complete = { bringsMemory: false, nothingRan: true }
const withMemory = { bringsMemory: true, nothingRan: false }

test('C9: what files hold is restored by a rewind to a turn after which nothing ran', async () => {
  await checkAll(onDisk, complete)
})

test('C9: what only memory holds is restored by a rewind, together', async () => {
  await checkAll([...inMemory, ...inKernel], withMemory)
})

test('C9: each thing that only memory holds makes a turn keep memory; once it has ended, nothing runs', async () => {
  const thread = await installation.newThread()
  for (const { what, begin, change } of inMemory) {
    await say(thread, begin)
    expect(await recordOf(thread), what).toBe('kept')
    await say(thread, change)
    expect(await recordOf(thread), `after ${what}`).toBe('nothing-ran')
  }
})

test('C9: each thing that a Python kernel holds makes a turn keep memory', async () => {
  for (const { what, begin } of isFull ? inKernel : inKernel.slice(0, 2)) {
    const thread = await installation.newThread()
    await say(thread, begin)
    expect(await recordOf(thread), what).toBe('kept')
  }
})

test('C9: a service and a terminal with an editor make a turn keep memory, and continue after a rewind', async () => {
  const thread = await installation.newThread()
  const { terminals, services } = installation.client
  await services.start(thread.id, { name: 'web', port: 8100, command: 'python3 -m http.server 8100' })
  const pidOf = (name: string) => say(thread, `pgrep -f "${name}" || true`)
  const isUp = async () => (await services.list(thread.id)).services[0]?.status
  await expect.poll(isUp, pollOptions).toBe('running')
  await say(thread, 'true')
  expect(await recordOf(thread)).toBe('kept')
  const terminal = await terminals.open(thread.id, { cols: 80, rows: 24 })
  using view = await viewTerminal(installation, { threadId: thread.id, id: terminal.id })
  view.type('vim /home/user/edited\r')
  await expect.poll(() => pidOf('vi[m] /home'), pollOptions).toMatch(/^\d+\n$/)
  const [editor, server] = [await pidOf('vi[m] /home'), await pidOf('http.serve[r]')]
  expect(await recordOf(thread)).toBe('kept')
  const index = (await messagesOf(thread)).length
  await say(thread, 'pkill vim; pkill -f http.serve[r]')
  expect(await rewind(thread, index)).toEqual(withMemory)
  expect([await pidOf('vi[m] /home'), await pidOf('http.serve[r]')]).toEqual([editor, server])
})

test('C9: what a person pins is restored with memory beyond each limit: of the hour, and of what is kept', async () => {
  const thread = await installation.newThread()
  const { installation: settings, snapshots } = installation.client
  const newest = async () => (await snapshots.list(thread.id)).snapshots[0]
  await saveAfter(0)
  await say(thread, 'nohup sleep 6000 > /dev/null 2>&1 & echo $! > /home/user/pid')
  expect(await recordOf(thread)).toBe('kept')
  await settings.updateSettings({ settings: { memorySnapshotMebibytesPerThreadHour: 1 } })
  const pid = await say(thread, 'cat /home/user/pid')
  await expect.poll(newest, pollOptions).toMatchObject({ state: 'kept', memoryProblem: 'not-yet' })
  await snapshots.pin(thread.id, (await newest())?.turnId ?? '')
  expect(await recordOf(thread)).toBe('kept')
  const index = (await messagesOf(thread)).length
  await say(thread, 'pkill -x -f "sleep 6000"')
  const few = { memorySnapshotsPerThread: 1, snapshotsPerThread: 1 }
  await settings.updateSettings({ settings: { memorySnapshotMebibytesPerThreadHour: 1024, ...few } })
  for (const name of ['one', 'two']) {
    await say(thread, `echo ${name} > /home/user/${name}; nohup sleep 6001 > /dev/null 2>&1 &`)
    await expect.poll(async () => (await newest())?.memoryBytes ?? 0, pollOptions).toBeGreaterThan(0)
  }
  expect(await rewind(thread, index)).toEqual(withMemory)
  expect(await say(thread, 'pgrep -x -f "sleep 6000"; ls /home/user')).toBe(`${pid}pid\n`)
  await settings.updateSettings({ settings: { memorySnapshotsPerThread: 2, snapshotsPerThread: 50 } })
})

if (isFull) {
  for (const situation of onDisk) {
    test(`C9: ${situation.what}, alone, is restored from files`, () => checkAll([situation], complete))
  }
  for (const situation of [...inMemory, ...inKernel]) {
    test(`C9: ${situation.what}, alone, is restored with memory`, () => checkAll([situation], withMemory))
  }
}

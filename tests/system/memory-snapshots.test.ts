import { hostPaths } from '@threadbox/protocol/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread, testThread } from '../stack/installation.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ memorySnapshots: 16 })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const patience = { timeout: 60_000, interval: 100 }

async function output(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(command)
  expect(calls[0], command).toMatchObject({ status: 'succeeded' })
  return calls[0]?.output.tail ?? ''
}
const run = (thread: TestThread, command: string) => output(thread, `/run ${command}`)
const messagesOf = async (thread: TestThread) =>
  (await thread.entries()).flatMap((entry) =>
    entry.kind === 'user-message' ? [{ id: entry.id, turnId: entry.turnId, text: entry.text }] : [],
  )
const snapshotsOf = (thread: TestThread) => installation.client.snapshots.list(thread.id)

/** The snapshots of all answers are there. */
async function untilKept(thread: TestThread): Promise<void> {
  const states = async () => (await snapshotsOf(thread)).snapshots.map(({ state }) => state)
  await expect.poll(async () => (await states()).every((state) => state === 'kept'), patience).toBe(true)
}

/** Counts, in a variable of its shell, what it is asked to, and says how far it is. Nothing of it is on the disk. */
const counter = [
  '(n=0; while :; do if test -e /dev/shm/go; then n=$((n+1)); rm /dev/shm/go; echo "$BASHPID $n" > /dev/shm/count; fi;',
  'sleep 0.05; done) > /dev/null 2>&1 & disown;',
].join(' ')
const count = (until: number) =>
  `touch /dev/shm/go; for i in $(seq 400); do grep -qs ' ${until}$' /dev/shm/count && break; sleep 0.05; done; cat /dev/shm/count`

test('C9: five turns are rewound: files, processes, variables of Python and messages are those of then; undo brings the newest back; so does a fork from then', async () => {
  const thread = await installation.newThread()
  const { threads, sandboxes } = installation.client
  const [pid] = (await run(thread, `echo 1 > /home/user/note; ${counter} ${count(1)}`)).split(' ')
  await output(thread, '/python value = 1\nfirst = object()\nprint(value)')
  for (const number of [2, 3, 4, 5]) {
    await run(thread, `echo ${number} > /home/user/note; ${count(number)}`)
  }
  expect(await output(thread, '/python value += 10\nprint(value)')).toContain('11')
  await untilKept(thread)
  const before = await messagesOf(thread)
  const target = before[2]
  const preview = await threads.previewRewind(thread.id, target?.id ?? '')
  expect(preview).toMatchObject({ bringsMemory: true, problem: null, messages: { sent: 5 } })

  const { rewindId } = await threads.rewind(thread.id, target?.id ?? '')
  expect(await messagesOf(thread)).toEqual(before.slice(0, 2))
  expect((await sandboxes.get(thread.id)).sandbox.state).toBe('active')
  const notice = (await thread.entries()).at(-1)
  expect(notice).toMatchObject({ kind: 'notice', code: 'rewound', params: { memory: 'kept' } })
  await threads.undoRewind(thread.id, rewindId)
  expect(await messagesOf(thread)).toEqual(before)
  expect(await run(thread, `cat /home/user/note; ${count(6)}`)).toBe(`5\n${pid} 6\n`)
  expect(await output(thread, '/python print(value, type(first).__name__)')).toContain('11 object')

  const fork = await threads.fork(thread.id, { beforeTurnId: target?.turnId ?? '' })
  expect(fork.forkedFrom).toMatchObject({ from: 'memory' })
  await threads.rewind(thread.id, target?.id ?? '')
  for (const one of [thread, testThread(installation.client, fork.id)]) {
    expect(await run(one, `cat /home/user/note; ${count(2)}`)).toBe(`1\n${pid} 2\n`)
    expect(await output(one, '/python print(value, type(first).__name__)')).toContain('1 object')
  }
  expect((await thread.entries()).filter((entry) => entry.kind === 'wake')).toEqual([])
})

test('C9: oldest memory goes first and its bytes come back; a turn without memory is gone back to cold, with a report, and undone with memory', async () => {
  const thread = await installation.newThread()
  const { client } = installation
  const { threads, sandboxes } = client
  const poolBytes = async () => {
    const { body } = await installation.host.request('GET', hostPaths.info)
    return (body as { poolUsedBytes: number }).poolUsedBytes
  }
  await run(thread, `echo 1 > /home/user/note; head -c 64M /dev/urandom > /dev/shm/large; ${counter} ${count(1)}`)
  await run(thread, `echo 2 > /home/user/note; ${count(2)}`)
  await run(thread, `echo 3 > /home/user/note; ${count(3)}`)
  await untilKept(thread)
  const { usage, snapshots } = await snapshotsOf(thread)
  expect(usage.memoryCount).toBe(3)
  expect(snapshots.every(({ memoryBytes }) => (memoryBytes ?? 0) > 64 * 1024 * 1024)).toBe(true)
  const full = await poolBytes()
  await client.installation.updateSettings({ settings: { memorySnapshotsPerThread: 1 } })
  await expect.poll(async () => (await snapshotsOf(thread)).usage.memoryCount, patience).toBe(1)
  expect((await snapshotsOf(thread)).snapshots).toMatchObject([
    ...[{ memoryProblem: null }, { state: 'kept', memoryProblem: 'removed' }, { memoryProblem: 'removed' }],
  ])
  await expect.poll(async () => full - (await poolBytes()), patience).toBeGreaterThan(100 * 1024 * 1024)

  const target = (await messagesOf(thread))[1]?.id ?? ''
  expect(await threads.previewRewind(thread.id, target)).toMatchObject({ bringsMemory: false })
  const { rewindId } = await threads.rewind(thread.id, target)
  expect((await sandboxes.get(thread.id)).sandbox.state).toBe('cold')
  await installation.client.files.read(thread.id, '/home/user/note').then((answer) => answer.text())
  await sandboxes.wake(thread.id)
  const wakes = (await thread.entries()).filter((entry) => entry.kind === 'wake')
  expect(wakes.at(-1)).toMatchObject({ report: { from: 'disk', cause: { code: 'rewound' } } })
  await threads.undoRewind(thread.id, rewindId)
  expect(await run(thread, `cat /home/user/note; ${count(4)}`)).toMatch(/^3\n\d+ 4\n$/)
})

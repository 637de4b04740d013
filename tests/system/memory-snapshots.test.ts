import { type ChildProcess, spawn } from 'node:child_process'
import { hostPaths } from '@threadbox/protocol/host'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread, testThread } from '../stack/installation.ts'
import { addNeighbour } from './isolation/test-machine.ts'

/** Another machine, with a program that takes one connection and keeps it. */
const [peerAddress, peerPort] = ['198.51.100.79', 7300]
const waits = 'import socket, sys, time'
const listening = `${waits}; s = socket.create_server(('${peerAddress}', ${peerPort})); c = s.accept(); time.sleep(4000)`
const connecting = `${waits}; s = socket.create_connection(('${peerAddress}', ${peerPort})); open('/dev/shm/met', 'w'); time.sleep(4000)`

let peer: ReturnType<typeof addNeighbour>
let listener: ChildProcess
let installation: TestInstallation
let model: ModelServer
beforeAll(async () => {
  peer = addNeighbour({ name: `tr${process.pid}`, addresses: [peerAddress], address6: 'fd77:77::5' })
  listener = spawn('ip', ['netns', 'exec', peer.namespace, 'python3', '-c', listening], { stdio: 'ignore' })
  model = await startModelServer()
  installation = await startInstallation({ memorySnapshots: 16 })
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await model?.close()
  listener?.kill('SIGKILL')
  peer?.remove()
})

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

/** What the counter waits with, as another process each time; one that is about to end has no arguments any more. */
const napping = /^sleep( 0\.05)?$/

/** What the dialog says of processes and variables, as `change name`. */
async function changesOf(thread: TestThread, entryId: string): Promise<string[]> {
  const { running } = await installation.client.threads.previewRewind(thread.id, entryId)
  expect(running).toMatchObject({ knowsNow: true, knowsThen: true, knowsVariables: true })
  const named = [...running.processes, ...running.variables].filter(({ name }) => !napping.test(name))
  return named.map(({ change, name }) => `${change} ${name}`)
}

/** The report of the newest wake, once it is complete, with its items as `outcome kind name`. */
async function reported(thread: TestThread) {
  const newest = async () => (await thread.entries()).findLast((entry) => entry.kind === 'wake')?.report
  await expect.poll(async () => (await newest())?.status, patience).toBe('complete')
  const report = await newest()
  return { report, items: report?.items.map(({ outcome, kind, name }) => `${outcome} ${kind} ${name}`) ?? [] }
}

test('C9: five turns are rewound: files, processes, variables of Python and messages are those of then, as was said before and is reported after; undo brings the newest back; so does a fork from then', async () => {
  const thread = await installation.newThread()
  const { threads, sandboxes } = installation.client
  const meets = `nohup python3 -c "${connecting}" > /dev/null 2>&1 & until test -e /dev/shm/met; do sleep 0.05; done;`
  const started = `nohup sleep 4000 > /dev/null 2>&1 & ${meets}`
  const [pid] = (await run(thread, `echo 1 > /home/user/note; ${started} ${counter} ${count(1)}`)).split(' ')
  await output(thread, '/python value = 1\nfirst = object()\nold = "then"\nprint(value)')
  await untilKept(thread)
  await run(thread, `echo 2 > /home/user/note; pkill -x -f 'sleep 4000'; ${count(2)}`)
  await run(thread, `echo 3 > /home/user/note; nohup sleep 5000 > /dev/null 2>&1 & ${count(3)}`)
  for (const number of [4, 5]) await run(thread, `echo ${number} > /home/user/note; ${count(number)}`)
  expect(await output(thread, '/python value += 10\ndel old\nnew = [1]\nprint(value)')).toContain('11')
  await untilKept(thread)
  const before = await messagesOf(thread)
  const target = before[2]
  const preview = await threads.previewRewind(thread.id, target?.id ?? '')
  expect(preview).toMatchObject({ bringsMemory: true, problem: null, messages: { sent: 5 } })
  const changes = await changesOf(thread, target?.id ?? '')
  expect(changes).toEqual(expect.arrayContaining(['restored sleep 4000', 'removed sleep 5000']))
  const variables = ['restored old', 'changed value', 'removed new']
  expect(changes.filter((change) => !change.includes('sleep'))).toEqual(variables)
  expect(preview.running).toMatchObject({ sameVariables: 1, unclearVariables: 0 })

  const { rewindId } = await threads.rewind(thread.id, target?.id ?? '')
  expect(await messagesOf(thread)).toEqual(before.slice(0, 2))
  expect((await sandboxes.get(thread.id)).sandbox.state).toBe('active')
  const notice = (await thread.entries()).find(({ kind }) => kind === 'notice')
  expect(notice).toMatchObject({ kind: 'notice', code: 'rewound', params: { memory: 'kept' } })
  const { report, items } = await reported(thread)
  expect(report).toMatchObject({ from: 'memory', cause: { code: 'rewound' }, pausedAt: null })
  const kept = ['process sleep 4000', 'variable value', 'variable first', 'variable old', 'file all other files']
  expect(items).toEqual(expect.arrayContaining(kept.map((item) => `kept ${item}`)))
  expect(items.join()).not.toContain('sleep 5000')
  const met = report?.items.find(({ name }) => name.endsWith(`${peerAddress}:${peerPort}`))
  expect(met).toMatchObject({ outcome: 'lost', reason: 'It is closed: the sandbox has another address now.' })

  await threads.undoRewind(thread.id, rewindId)
  expect(await messagesOf(thread)).toEqual(before)
  const undone = await reported(thread)
  expect(undone.items).toEqual(expect.arrayContaining(['kept process sleep 5000', 'kept variable new']))
  expect((await thread.entries()).filter((entry) => entry.kind === 'wake')).toHaveLength(1)
  expect(await run(thread, `cat /home/user/note; ${count(6)}`)).toBe(`5\n${pid} 6\n`)
  expect(await output(thread, '/python print(value, type(first).__name__)')).toContain('11 object')

  const fork = await threads.fork(thread.id, { beforeTurnId: target?.turnId ?? '' })
  expect(fork.forkedFrom).toMatchObject({ from: 'memory' })
  await threads.rewind(thread.id, target?.id ?? '')
  for (const one of [thread, testThread(installation.client, fork.id)]) {
    expect(await run(one, `cat /home/user/note; ${count(2)}`)).toBe(`1\n${pid} 2\n`)
    expect(await run(one, 'pgrep -fa "sleep [45]000" | cut -d" " -f2-')).toBe('sleep 4000\n')
    const held = "/python print(value, type(first).__name__, old, 'new' in globals())"
    expect(await output(one, held)).toContain('1 object then False')
  }
})

test('C9: oldest memory goes first and its bytes come back; a turn without memory is gone back to cold, with a report, and undone with memory', async () => {
  const thread = await installation.newThread()
  const { client } = installation
  const { threads, sandboxes } = client
  const poolBytes = async () => {
    const { body } = await installation.host.request('GET', hostPaths.info())
    return (body as { poolUsedBytes: number }).poolUsedBytes
  }
  const started = 'nohup sleep 5500 > /dev/null 2>&1 & head -c 64M /dev/urandom > /dev/shm/large;'
  await run(thread, `echo 1 > /home/user/note; ${started} ${counter} ${count(1)}`)
  await untilKept(thread)
  await run(thread, `echo 2 > /home/user/note; pkill -x -f 'sleep 5500'; ${count(2)}`)
  await run(thread, `echo 3 > /home/user/note; nohup sleep 6000 > /dev/null 2>&1 & ${count(3)}`)
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
  expect(await changesOf(thread, target)).toEqual(['removed sleep 6000', 'lost sleep 5500'])
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

test('C9: an answer that used no computer shares snapshot and memory of the one before, also after somebody looked at what a rewind would undo', async () => {
  const { threads, models } = installation.client
  await installation.client.installation.updateSettings({ settings: { memorySnapshotsPerThread: 16 } })
  const baseUrl = model.baseUrls.anthropic
  await models.connect({ provider: 'anthropic', model: 'test-model', baseUrl, apiKey: 'key' })
  const thread = await installation.newThread()
  await run(thread, 'echo 1 > /home/user/note')
  const [pid] = (await run(thread, `echo 2 > /home/user/note; ${counter} ${count(1)}`)).split(' ')
  await untilKept(thread)
  const before = await messagesOf(thread)
  for (const { id } of before) {
    const { disk } = await threads.previewRewind(thread.id, id)
    expect(disk.files?.map(({ path }) => path)).toContain('/home/user/note')
  }
  model.reply({ text: 'Hello.' })
  expect((await thread.say('hello')).turn).toMatchObject({ status: 'finished' })
  await untilKept(thread)
  const { snapshots } = await snapshotsOf(thread)
  expect(snapshots).toHaveLength(3)
  const [shared, own] = snapshots
  expect(shared).toMatchObject({ id: own?.id, memoryBytes: expect.any(Number), memoryProblem: null })
  await run(thread, `echo 3 > /home/user/note; ${count(2)}`)
  const target = (await messagesOf(thread)).at(-1)
  await threads.rewind(thread.id, target?.id ?? '')
  expect(await run(thread, `cat /home/user/note; ${count(2)}`)).toBe(`2\n${pid} 2\n`)
})

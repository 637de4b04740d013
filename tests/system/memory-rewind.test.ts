import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'
import { addNeighbor, type Neighbor } from './isolation/test-machine.ts'
import { changesOf, count, counter, messagesOf, output, reported, run, untilKept } from './memory-snapshots/turns.ts'

/** Another machine, with a program that accepts one connection and keeps it. */
const [peerAddress, peerPort] = ['198.51.100.78', 7300]
const waits = 'import socket, sys, time'
const listening = `${waits}; s = socket.create_server(('${peerAddress}', ${peerPort})); c = s.accept(); time.sleep(4000)`
const connecting = `${waits}; s = socket.create_connection(('${peerAddress}', ${peerPort})); open('/dev/shm/met', 'w'); time.sleep(4000)`

let peer: Neighbor
let listener: ChildProcess
let installation: TestInstallation
beforeAll(async () => {
  peer = await addNeighbor({ subnet: 78, addresses: [peerAddress], address6: 'fd77:78::2' })
  listener = spawn('ip', ['netns', 'exec', peer.namespace, 'python3', '-c', listening], { stdio: 'ignore' })
  installation = await startInstallation({ memorySnapshots: 16 })
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  listener?.kill('SIGKILL')
  await peer?.remove()
})

test('C9: five turns are rewound: files, processes, Python variables and messages are as they were, as the preview said and the report confirms; undo restores the newest state, a fork the earlier one', async () => {
  const thread = await installation.newThread()
  const { threads, sandboxes } = installation.client
  const meets = `nohup python3 -c "${connecting}" > /dev/null 2>&1 & until test -e /dev/shm/met; do sleep 0.05; done;`
  const started = `nohup sleep 4000 > /dev/null 2>&1 & ${meets}`
  const [pid] = (await run(thread, `echo 1 > /home/user/note; ${started} ${counter} ${count(1)}`)).split(' ')
  await output(thread, '/python value = 1\nfirst = object()\nold = "then"\nprint(value)')
  await untilKept(installation, thread)
  await run(thread, `echo 2 > /home/user/note; pkill -x -f 'sleep 4000'; ${count(2)}`)
  await run(thread, `echo 3 > /home/user/note; nohup sleep 5000 > /dev/null 2>&1 & ${count(3)}`)
  for (const number of [4, 5]) await run(thread, `echo ${number} > /home/user/note; ${count(number)}`)
  expect(await output(thread, '/python value += 10\ndel old\nnew = [1]\nprint(value)')).toContain('11')
  await untilKept(installation, thread)
  const before = await messagesOf(thread)
  const target = before[2]
  const preview = await threads.previewRewind(thread.id, target?.id ?? '')
  expect(preview).toMatchObject({ bringsMemory: true, problem: null, messages: { sent: 5 } })
  const changes = await changesOf(installation, { id: thread.id, entryId: target?.id ?? '' })
  expect(changes).toEqual(expect.arrayContaining(['restored sleep 4000', 'removed sleep 5000']))
  // The counter is a loop of the shell.
  const others = ['returns bash', 'restored old', 'changed value', 'removed new']
  expect(changes.filter((change) => !change.includes('sleep'))).toEqual(others)
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
  expect(met).toMatchObject({ outcome: 'lost', reason: 'Closed: the sandbox has a new address.' })

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

import type { RewindPreview, RewoundThread } from '@threadbox/protocol/public'
import { emptyManifest, type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, { title: 'The thread' })).id
  await server.start()
  await host.followed()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

let keys = 0
async function say(text = '/run true'): Promise<{ entryId: string; turnId: string }> {
  keys += 1
  const sent = await server.areas.turns.turns.send(threadId, {
    text,
    attachmentIds: [],
    key: `key-of-the-test-${keys}`,
  })
  await server.areas.turns.turns.settled(threadId)
  await server.areas.turns.snapshots.idle()
  return sent
}
const path = () => `/api/v1/threads/${threadId}/rewind`
const rewind = (entryId: string, person = owner) => server.call('POST', path(), { body: { entryId }, person })
const undo = (rewindId: string, person = owner) => server.call('POST', `${path()}/undo`, { body: { rewindId }, person })
const previewOf = (entryId: string, person = owner) => server.call('GET', `${path()}?before=${entryId}`, { person })
const rewound = async (entryId: string) => {
  const answer = await rewind(entryId)
  expect(answer.status).toBe(200)
  return ((await answer.json()) as RewoundThread).rewindId
}
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const entries = () => server.areas.threads.log.entries(threadId)
const sandbox = async () => {
  const row = await server.areas.sandboxes.inside.store.find(threadId)
  if (row === undefined) throw new Error('the thread has no sandbox')
  return row
}

test('another user, an unknown message and an undo without a rewind are rejected', async () => {
  const { entryId } = await say()
  const other = await server.addPerson('other')
  for (const answer of [rewind(entryId, other), previewOf(entryId, other), undo('none', other)]) {
    expect((await answer).status).toBe(404)
  }
  for (const answer of [rewind('none'), previewOf('none')])
    expect(await codeOf(await answer)).toBe('rewind.message-not-found')
  expect(await codeOf(await undo('none'))).toBe('rewind.not-undoable')
  expect(host.snapshots.rewinds).toEqual([])
})

test('a rewind that the host rejects changes nothing, and the thread continues', async () => {
  await say()
  const { entryId } = await say()
  const [before, row] = [await entries(), await sandbox()]
  host.fail('rewind', { code: 'disk.no-room-for-snapshot', kind: 'out-of-space' })
  expect(await codeOf(await rewind(entryId))).toBe('disk.no-room-for-snapshot')
  expect(await entries()).toEqual(before)
  expect(await sandbox()).toEqual(row)
  await say()
})

test('a message whose disk snapshot is gone cannot be rewound to, and the preview says so', async () => {
  await say()
  const { entryId } = await say()
  host.snapshots.bySandbox.clear()
  expect(await codeOf(await rewind(entryId))).toBe('rewind.snapshot-gone')
  expect(await (await previewOf(entryId)).json()).toMatchObject({
    problem: 'rewind.snapshot-gone',
    disk: { to: 'gone' },
  })
  expect(host.snapshots.rewinds).toEqual([])
})

test('C9: a rewind restores messages and disk to before the message, and its undo brings both back', async () => {
  const first = await say()
  const kept = (await server.areas.turns.snapshots.afterTurns(threadId, [first.turnId]))?.id
  const beforeThat = await entries()
  const { entryId } = await say('/run echo second')
  await say('/run echo third')
  const before = await entries()
  const runs = await server.areas.turns.turns.settled(threadId).then(() => host.starts.length)
  const rewindId = await rewound(entryId)
  expect(host.snapshots.rewinds).toEqual([{ sandboxId: (await sandbox()).id, snapshotId: kept }])
  const left = await entries()
  expect(left.slice(0, -1)).toEqual(beforeThat)
  expect(left.at(-1)).toMatchObject({ kind: 'notice', code: 'rewound', params: { rewindId, turns: 2 } })
  expect(await sandbox()).toMatchObject({ state: 'cold', boot_id: null })
  expect(host.starts).toHaveLength(runs)

  expect((await undo(rewindId)).status).toBe(204)
  expect(await entries()).toEqual(before)
  expect(host.snapshots.rewinds).toHaveLength(2)
  expect(await codeOf(await undo(rewindId))).toBe('rewind.not-undoable')
  expect(await codeOf(await rewind('none'))).toBe('rewind.message-not-found')
  await rewound(entryId)
})

test('C9: with a memory snapshot the sandbox runs after the rewind without a start; the undo restores the newest memory', async () => {
  host.snapshots.memoryBytes = 1000
  const first = await say()
  expect(first.turnId).not.toBe('')
  const { entryId } = await say()
  const before = await sandbox()
  expect(await (await previewOf(entryId)).json()).toMatchObject({ bringsMemory: true })
  const starts = host.starts.length
  const rewindId = await rewound(entryId)
  const then = await sandbox()
  expect(then).toMatchObject({ state: 'active', cause: null, intent: null, wake: null })
  expect([before.boot_id, null]).not.toContain(then.boot_id)
  expect(host.sandboxes.get(then.id)).toMatchObject({ actual: 'ready', bootId: then.boot_id })
  expect((await entries()).slice(-2)).toMatchObject([
    { code: 'rewound', params: { memory: 'kept' } },
    { kind: 'wake', report: { from: 'memory', cause: { code: 'rewound' } } },
  ])
  expect((await undo(rewindId)).status).toBe(204)
  const undone = await sandbox()
  expect(undone).toMatchObject({ state: 'active' })
  expect([before.boot_id, then.boot_id]).not.toContain(undone.boot_id)
  expect(host.starts).toHaveLength(starts)
  expect((await entries()).filter(({ kind }) => kind === 'wake')).toMatchObject([
    { report: { from: 'memory', cause: { code: 'rewind-undone' } } },
  ])
  await say()
  expect(host.starts).toHaveLength(starts)
})

test('unusable memory at the target leaves a cold sandbox, and its state says why', async () => {
  host.snapshots.memoryBytes = 1000
  await say()
  const { entryId } = await say()
  host.snapshots.rewindProblem = 'It was saved by another version.'
  await rewound(entryId)
  expect(await sandbox()).toMatchObject({ state: 'cold', boot_id: null })
  expect((await sandbox()).cause).toMatchObject({
    code: 'rewound',
    detail: 'It was saved by another version.',
  })
  expect((await entries()).at(-1)).toMatchObject({ code: 'rewound', params: { memory: 'gone' } })
})

test('unusable memory of the undone state leaves a cold sandbox, and its state says that the rewind was undone', async () => {
  host.snapshots.memoryBytes = 1000
  await say()
  const { entryId } = await say()
  const rewindId = await rewound(entryId)
  host.snapshots.rewindProblem = 'It was saved by another version.'
  expect((await undo(rewindId)).status).toBe(204)
  expect(await sandbox()).toMatchObject({ state: 'cold', boot_id: null })
  expect((await sandbox()).cause).toMatchObject({ code: 'rewind-undone' })
})

test('a rewind with memory whose reply is lost is carried out once, and the sandbox is found running and not stopped', async () => {
  host.snapshots.memoryBytes = 1000
  await say()
  const { entryId } = await say()
  let lost = 0
  host.loseAnswer = (order) => order === 'rewind' && ++lost < 3
  expect(await codeOf(await rewind(entryId))).toBe('host.unreachable')
  await expect.poll(() => lost).toBe(2)
  // The test cannot see when the failure and the time of the retry are recorded.
  const lastKinds = async () => {
    server.clock.now += 60_000
    return (await entries()).slice(-2).map(({ kind }) => kind)
  }
  await expect.poll(lastKinds, { timeout: 30_000 }).toEqual(['notice', 'wake'])
  expect(host.snapshots.rewinds).toHaveLength(1)
  const { state, boot_id, id } = await sandbox()
  expect([state, host.sandboxes.get(id)?.bootId]).toEqual(['active', boot_id])
  expect(host.orders.filter(({ order }) => order === 'stop')).toEqual([])
})

test('before the first message the disk is that of a new sandbox', async () => {
  const { entryId } = await say()
  expect(await (await previewOf(entryId)).json()).toMatchObject({ disk: { to: 'image', at: null }, problem: null })
  await rewound(entryId)
  expect(host.snapshots.rewinds).toMatchObject([{ snapshotId: null }])
  expect(await entries()).toMatchObject([{ kind: 'notice', code: 'rewound' }])
})

test('in a thread without a sandbox only the conversation is rewound', async () => {
  const { entryId } = await say('hello')
  const before = await entries()
  const rewindId = await rewound(entryId)
  expect(host.snapshots.rewinds).toEqual([])
  expect((await undo(rewindId)).status).toBe(204)
  expect(await entries()).toEqual(before)
})

test('a rewind cannot be undone after another message or when what was undone is not kept', async () => {
  await say()
  const { entryId } = await say()
  const rewindId = await rewound(entryId)
  const sent = await say()
  expect(await codeOf(await undo(rewindId))).toBe('rewind.not-undoable')
  const again = await rewound(sent.entryId)
  const { snapshots } = await server.areas.turns.snapshots.list(threadId)
  const row = await sandbox()
  for (const { snapshotId } of host.snapshots.bySandbox.get(row.id) ?? []) {
    await server.areas.turns.snapshots.remove(threadId, snapshotId).catch(() => undefined)
  }
  expect(snapshots.length).toBeGreaterThan(0)
  expect(await codeOf(await undo(again))).toBe('rewind.not-undoable')
})

test('C9: a fork of a rewound thread neither offers nor accepts the undo', async () => {
  await say()
  const { entryId } = await say()
  const rewindId = await rewound(entryId)
  const forked = await server.call('POST', `/api/v1/threads/${threadId}/fork`, { body: {}, person: owner })
  const { id } = (await forked.json()) as { id: string }
  const notices = (await server.areas.threads.log.entries(id)).filter((entry) => entry.kind === 'notice')
  const copied = notices.find(({ code }) => code === 'rewound')
  expect(copied?.params).toEqual({ turns: 1, disk: 'kept', memory: 'gone' })
  const there = server.call('POST', `/api/v1/threads/${id}/rewind/undo`, { body: { rewindId }, person: owner })
  expect(await codeOf(await there)).toBe('rewind.not-undoable')
  expect((await undo(rewindId)).status).toBe(204)
})

test('undone turns are not in the list of snapshots and return with the undo', async () => {
  await say()
  const { entryId } = await say()
  await say()
  const list = async () => {
    const { snapshots } = await server.areas.turns.snapshots.list(threadId)
    return snapshots.map(({ turnId, state }) => [turnId, state])
  }
  const before = await list()
  expect(before).toHaveLength(3)
  const rewindId = await rewound(entryId)
  expect(await list()).toEqual(before.slice(2))
  await undo(rewindId)
  expect(await list()).toEqual(before)
})

test('a preview lists what would be undone, and changes nothing', async () => {
  await say()
  const { entryId } = await say('/run echo second')
  host.snapshots.changes = {
    removedCount: 1,
    changedCount: 1,
    addedCount: 1,
    folders: [{ name: 'home/user/app/__pycache__', removedCount: 1, changedCount: 2, addedCount: 3 }],
    files: [
      { name: 'var/log/x', bytesBefore: 1, bytesNow: 2, lines: { added: 3, removed: 1 } },
      { name: 'home/user/new.csv', bytesBefore: null, bytesNow: 900, lines: null },
      { name: 'home/user/old.md', bytesBefore: 2400, bytesNow: null, lines: null },
    ],
  }
  const process = {
    pid: 9,
    startTicks: '1',
    startedAt: 1,
    parentPid: 1,
    name: 'sleep',
    executable: '',
    cwd: '/',
    user: 'user',
    memoryBytes: 1,
    service: '',
  }
  host.manifest = {
    ...emptyManifest(),
    processes: [
      { ...process, commandLine: ['sleep', '9'], role: 'user' },
      { ...process, commandLine: ['python'], role: 'kernel' },
      { ...process, commandLine: ['npm', 'start'], role: 'service', service: 'web' },
    ],
  }
  host.snapshots.namesAsked = {
    knownSince: 1,
    names: [{ name: 'example.com', count: 2, isAtLeast: false }],
    refused: [],
  }
  const before = await entries()
  const preview = (await (await previewOf(entryId)).json()) as RewindPreview
  expect(preview).toMatchObject({
    entryId,
    text: '/run echo second',
    problem: null,
    messages: { sent: 1, answers: 1 },
    calls: [],
    bringsMemory: false,
    lookups: { names: [{ name: 'example.com', count: 2 }], nameCount: 1, isWhole: true },
    running: {
      knowsNow: true,
      knowsThen: true,
      processCount: 2,
      variableCount: 0,
      knowsVariables: true,
      processes: [
        { name: 'web', kind: 'service', change: 'restarted' },
        { name: 'sleep 9', kind: 'process', change: 'removed' },
      ],
    },
    disk: {
      to: 'snapshot',
      count: 9,
      caches: [{ path: '/home/user/app/__pycache__', removed: 3, restored: 1, changed: 2 }],
      files: [
        { path: '/home/user/new.csv', change: 'removed', bytesNow: 900, bytesThen: null },
        { path: '/home/user/old.md', change: 'restored', bytesNow: null, bytesThen: 2400 },
        { path: '/var/log/x', change: 'changed', bytesNow: 2, bytesThen: 1, lines: { added: 1, removed: 3 } },
      ],
    },
  })
  expect(await entries()).toEqual(before)
  expect(host.snapshots.rewinds).toEqual([])
})

test('lookups are marked incomplete when the host has recorded them for a shorter time or not at all', async () => {
  await say()
  const { entryId } = await say()
  const lookups = async () => ((await (await previewOf(entryId)).json()) as RewindPreview).lookups
  expect(await lookups()).toEqual({ names: [], nameCount: 0, since: null, isWhole: false })
  const knownSince = server.clock.now + 5000
  host.snapshots.namesAsked = { knownSince, names: [], refused: [] }
  expect(await lookups()).toEqual({ names: [], nameCount: 0, since: knownSince, isWhole: false })
})

test('the preview counts names and files beyond those that it lists', async () => {
  await say()
  const { entryId } = await say()
  const names = Array.from({ length: 150 }, (_, index) => ({
    name: `n${index}.example`,
    count: 1,
    isAtLeast: index === 0,
  }))
  host.snapshots.namesAsked = { knownSince: 1, names, refused: [] }
  // The host lists up to 1000 files of each kind, minus directories.
  const files = [{ name: 'home/user/one', bytesBefore: null, bytesNow: 1, lines: null }]
  host.snapshots.changes = { removedCount: 0, changedCount: 0, addedCount: 1200, files, folders: [] }
  const { lookups, disk } = (await (await previewOf(entryId)).json()) as RewindPreview
  expect([lookups.names.length, lookups.nameCount, disk.count]).toEqual([100, 150, 1200])
  expect(lookups.names.slice(0, 2).map(({ isAtLeast }) => isAtLeast)).toEqual([true, false])
})

test('a rewind whose reply is lost is finished, once, and no message can be sent until then', async () => {
  await say()
  const { entryId } = await say()
  let lost = 0
  host.loseAnswer = (order) => {
    if (order === 'rewind') lost += 1
    return order === 'rewind' && lost < 3
  }
  expect(await codeOf(await rewind(entryId))).toBe('host.unreachable')
  await expect.poll(() => lost).toBe(2)
  expect(await codeOf(await rewind(entryId))).toBe('rewind.under-way')
  await expect(say()).rejects.toMatchObject({ code: 'rewind.under-way' })
  expect(await (await previewOf(entryId)).json()).toMatchObject({ problem: 'rewind.under-way' })
  server.clock.now += 60_000
  await expect.poll(async () => (await entries()).at(-1), { timeout: 30_000 }).toMatchObject({ code: 'rewound' })
  expect(host.snapshots.rewinds).toHaveLength(1)
  await say()
})

test('an unfinished rewind or undo is finished when the host is reachable again', async () => {
  await say()
  const { entryId } = await say()
  const before = await entries()
  const cutOff = async (order: () => Promise<Response>) => {
    let lost = 0
    host.loseAnswer = (answered) => answered === 'rewind' && ++lost < 3
    expect(await codeOf(await order())).toBe('host.unreachable')
    await expect.poll(() => lost).toBe(2)
    host.closeConnections()
  }
  await cutOff(() => rewind(entryId))
  await expect.poll(async () => (await entries()).at(-1), { timeout: 30_000 }).toMatchObject({ code: 'rewound' })
  const notice = (await entries()).at(-1)
  const rewindId = notice?.kind === 'notice' ? String(notice.params.rewindId) : ''
  await cutOff(() => undo(rewindId))
  await expect.poll(entries, { timeout: 30_000 }).toEqual(before)
  expect(host.snapshots.rewinds).toHaveLength(2)
})

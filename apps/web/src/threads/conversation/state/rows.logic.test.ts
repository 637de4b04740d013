import type { Entry, NoticeEntry, ThreadState, Turn } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { announcementOf } from './announcement.logic.ts'
import { isSameRow, knownPathsOf, lastMessageOf, queueOf, rowsOf, runningTurnOf } from './rows.logic.ts'

const turn = (id: string, values: Partial<Turn> = {}): Turn => ({
  id,
  mode: 'agent',
  status: 'finished',
  modelId: null,
  modelName: null,
  startedAt: 0,
  endedAt: 1,
  usage: null,
  failure: null,
  stillRunning: [],
  ...values,
})
const base = (id: string, turnId: string) => ({ id, turnId, at: 0 })
const user = (id: string, turnId: string, status: 'delivered' | 'queued' | 'held' = 'delivered'): Entry => ({
  ...base(id, turnId),
  kind: 'user-message',
  text: id,
  attachments: [],
  status,
})
const wake = (id: string): Entry => ({
  ...base(id, ''),
  kind: 'wake',
  report: {
    id,
    threadId: 't',
    from: 'memory',
    cause: null,
    pausedAt: 0,
    wokenAt: 1,
    checkedAt: 1,
    wakeMs: 300,
    status: 'complete',
    counts: {},
    items: [],
  },
})
const text = (
  id: string,
  turnId: string,
  body = 'hello',
  status: 'streaming' | 'done' | 'partial' = 'done',
): Entry => ({
  ...base(id, turnId),
  kind: 'text',
  stepId: 's',
  text: body,
  status,
})
const call = (id: string, turnId: string, values: object = {}): Entry =>
  ({
    ...base(id, turnId),
    kind: 'tool-call',
    stepId: 's',
    tool: 'run_command',
    input: {},
    status: 'succeeded',
    startedAt: 0,
    endedAt: 1,
    output: { tail: '', tailOffset: 0, sizeBytes: 0 },
    result: { kind: 'command', exitCode: 0, cwd: null },
    error: null,
    ...values,
  }) as Entry
const file = (id: string, turnId: string) =>
  call(id, turnId, {
    tool: 'share_file',
    result: {
      kind: 'file',
      path: `/home/user/${id}`,
      name: id,
      mediaType: 'text/csv',
      sizeBytes: 1,
      url: '/',
      caption: null,
    },
  })
const stateOf = (entries: Entry[], turns: Turn[]): ThreadState => ({
  entries,
  turns: Object.fromEntries(turns.map((each) => [each.id, each])),
  lastSeq: 0,
  before: null,
  isStale: false,
})
const kindsOf = (state: ThreadState) => rowsOf(state).map((row) => row.kind)

describe('rows of a conversation', () => {
  test('an empty thread has no rows', () => {
    expect(rowsOf(stateOf([], []))).toEqual([])
  })

  test('queued messages are in the queue and not in the conversation', () => {
    const state = stateOf(
      [user('a', 't1'), user('b', '', 'queued'), user('c', '', 'held')],
      [turn('t1', { status: 'running' })],
    )
    expect(kindsOf(state)).toEqual(['user', 'working'])
    expect(queueOf(state).map((entry) => entry.id)).toEqual(['b', 'c'])
    expect(lastMessageOf(state)?.id).toBe('c')
  })

  test('a running turn shows that it works only while none of its entries does', () => {
    const running = turn('t1', { status: 'running' })
    expect(kindsOf(stateOf([user('a', 't1')], [running]))).toEqual(['user', 'working'])
    expect(kindsOf(stateOf([user('a', 't1'), call('b', 't1', { status: 'running' })], [running]))).toEqual([
      'user',
      'call',
    ])
    expect(kindsOf(stateOf([user('a', 't1'), text('b', 't1', 'He', 'streaming')], [running]))).toEqual(['user', 'text'])
    expect(kindsOf(stateOf([user('a', 't1'), call('b', 't1')], [running]))).toEqual(['user', 'call', 'working'])
    expect(runningTurnOf(stateOf([], [running]))?.id).toBe('t1')
  })

  test('C9: only the newest notice offers to undo a rewind, until a message follows or a turn is retried', () => {
    const rewound = (id: string, params: NoticeEntry['params'] = { rewindId: id }): Entry => ({
      ...base(id, 't1'),
      at: 5,
      kind: 'notice',
      code: 'rewound',
      params,
    })
    const undoable = (entries: Entry[], first = turn('t1')) =>
      rowsOf(stateOf([user('a', 't1'), ...entries], [first])).flatMap((row) =>
        row.kind === 'notice' && row.isUndoable ? [row.key] : [],
      )
    expect(undoable([rewound('r1')])).toEqual(['r1'])
    expect(undoable([rewound('r1'), wake('w')])).toEqual(['r1'])
    expect(undoable([rewound('r1'), rewound('r2')])).toEqual(['r2'])
    expect(undoable([rewound('r1'), user('b', '', 'queued')])).toEqual(['r1'])
    expect(undoable([rewound('r1'), user('b', 't2')])).toEqual([])
    expect(undoable([rewound('r1', {})])).toEqual([])
    expect(undoable([rewound('r1')], turn('t1', { status: 'running', endedAt: null }))).toEqual([])
    expect(undoable([rewound('r1')], turn('t1', { endedAt: 6 }))).toEqual([])
  })

  test('files shared one after another form one row, those of another turn do not', () => {
    const state = stateOf(
      [file('a', 't1'), file('b', 't1'), user('c', 't2'), file('d', 't2')],
      [turn('t1'), turn('t2')],
    )
    const rows = rowsOf(state)
    expect(rows.map((row) => row.kind)).toEqual(['files', 'user', 'files'])
    expect(rows[0]).toMatchObject({ entries: [{ id: 'a' }, { id: 'b' }] })
  })

  test('a failed turn keeps its partial response and ends with the failure; only the latest can be acted on', () => {
    const failure = { code: 'network', message: '', remedy: '', retryAt: null, actions: [] } as const
    const failed = (id: string) => turn(id, { status: 'failed', failure: { ...failure, actions: [] } })
    const state = stateOf(
      [user('a', 't1'), text('b', 't1', 'half', 'partial'), user('c', 't2')],
      [failed('t1'), failed('t2')],
    )
    expect(kindsOf(state)).toEqual(['user', 'text', 'failure', 'user', 'failure'])
    expect(
      rowsOf(state)
        .filter((row) => row.kind === 'failure')
        .map((row) => row.isLatest),
    ).toEqual([false, true])
  })

  test('a response ends with what it took; a turn without text does not', () => {
    expect(kindsOf(stateOf([user('a', 't1'), text('b', 't1')], [turn('t1')]))).toEqual(['user', 'text', 'turn-end'])
    expect(kindsOf(stateOf([user('a', 't1'), call('b', 't1')], [turn('t1')]))).toEqual(['user', 'call'])
  })

  test('messages being sent come last, with a key of their own', () => {
    const outgoing = [{ key: 'k1', text: 'x', attachments: [], status: 'failed' as const }]
    expect(rowsOf(stateOf([user('a', 't1')], []), outgoing).map((row) => row.key)).toEqual(['a', 'k1'])
  })

  test('C5: a wake is a row; the line is dashed between the pause and it', () => {
    const paused: Entry = { ...base('p', ''), kind: 'notice', code: 'sandbox-paused', params: { cause: 'idle' } }
    const state = stateOf(
      [user('a', 't1'), paused, user('b', 't2'), wake('w'), call('c', 't2')],
      [turn('t1'), turn('t2')],
    )
    expect(rowsOf(state).map((row) => [row.kind, row.wasAsleep === true])).toEqual([
      ['user', false],
      ['notice', false],
      ['user', true],
      ['wake', false],
      ['call', false],
    ])
  })

  test('only the newest wake is the latest, and one inside a turn does not end it twice', () => {
    const state = stateOf([user('a', 't1'), wake('v'), text('b', 't1'), wake('w'), text('c', 't1')], [turn('t1')])
    const rows = rowsOf(state)
    expect(rows.filter((row) => row.kind === 'turn-end')).toHaveLength(1)
    expect(rows.flatMap((row) => (row.kind === 'wake' ? [row.isLatest] : []))).toEqual([false, true])
  })

  test('C5: a wake stands above the calls that waited for it, and below those that ran before', () => {
    const called = (id: string, startedAt: number | null) => call(id, 't1', { startedAt })
    const state = stateOf([user('a', 't1'), called('b', 0), called('c', 1), called('d', null), wake('w')], [turn('t1')])
    expect(rowsOf(state).map((row) => row.key)).toEqual(['a', 'b', 'w', 'c', 'd'])
  })

  test('sandbox events after a turn stand below its end, within a running turn above the sign of work', () => {
    const limit: Entry = { ...base('l', 't1'), kind: 'notice', code: 'sandbox-paused', params: {} }
    const ended = stateOf([user('a', 't1'), text('b', 't1'), limit], [turn('t1')])
    expect(kindsOf(ended)).toEqual(['user', 'text', 'turn-end', 'notice'])
    const woken = { ...wake('w'), turnId: 't2' } as Entry
    const running = stateOf([user('c', 't2'), woken], [turn('t2', { status: 'running' })])
    expect(kindsOf(running)).toEqual(['user', 'wake', 'working'])
  })

  test('no two rows share a key', () => {
    const state = stateOf(
      [user('a', 't1'), text('b', 't1'), user('c', 't2'), text('d', 't2')],
      [turn('t1'), turn('t2')],
    )
    const keys = rowsOf(state).map((row) => row.key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('rows of untouched entries are the same after an event, those of changed ones are not', () => {
    const before = stateOf([user('a', 't1'), file('b', 't1'), text('c', 't1')], [turn('t1')])
    const after = { ...before, entries: before.entries.with(2, text('c', 't1', 'hello there')) }
    const [first, second] = [rowsOf(before), rowsOf(after)]
    expect(first.map((row, index) => isSameRow(row, second[index]!))).toEqual([true, true, false, false])
  })

  test('rows of untouched entries differ once an older pause is known, shared files too', () => {
    const paused: Entry = { ...base('p', ''), kind: 'notice', code: 'sandbox-paused', params: {} }
    const unrelated: Entry = { ...paused, code: 'retention-near' }
    const rowsAfter = (oldest: Entry) => rowsOf(stateOf([oldest, user('a', 't1'), file('b', 't1')], [turn('t1')]))
    const [awake, asleep] = [rowsAfter(unrelated).slice(1), rowsAfter(paused).slice(1)]
    expect(awake.map(({ kind }) => kind)).toEqual(['user', 'files'])
    expect(awake.map((row, index) => isSameRow(row, asleep[index]!))).toEqual([false, false])
    expect(asleep.map((row, index) => isSameRow(row, awake[index]!))).toEqual([false, false])
  })

  test('C8: attachments and files of the tools are the paths that a text can link to', () => {
    expect([...knownPathsOf(stateOf([file('a.csv', 't1')], []))]).toEqual(['/home/user/a.csv'])
  })
})

describe('what is announced', () => {
  const before = stateOf([user('a', 't1')], [turn('t1', { status: 'running' })])

  test('nothing while a turn runs, for turns that had ended before, or when older ones are fetched', () => {
    const ended = stateOf([user('a', 't1')], [turn('t1')])
    expect(announcementOf(before, before)).toBeUndefined()
    expect(announcementOf(ended, ended)).toBeUndefined()
    expect(announcementOf(null, ended)).toBeUndefined()
    expect(announcementOf(ended, stateOf([user('z', 't0'), user('a', 't1')], [turn('t0'), turn('t1')]))).toBeUndefined()
  })

  test('the turn that the page requested, even if it ended before the page loaded', () => {
    const failed = stateOf([user('a', 't1')], [turn('t1', { status: 'failed' })])
    expect(announcementOf(null, failed, 't1')).toMatchObject({ outcome: 'failed' })
    expect(announcementOf(stateOf([], []), failed)).toMatchObject({ outcome: 'failed' })
  })

  test('the end of a turn once, with what it did', () => {
    const after = stateOf([user('a', 't1'), call('b', 't1'), call('c', 't1'), file('d', 't1')], [turn('t1')])
    expect(announcementOf(before, after)).toEqual({ turnId: 't1', outcome: 'finished', commands: 2, files: 1 })
    expect(announcementOf(after, after)).toBeUndefined()
  })
})

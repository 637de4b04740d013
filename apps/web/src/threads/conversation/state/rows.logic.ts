import type {
  Entry,
  NoticeEntry,
  TextEntry,
  ThreadState,
  ToolCallEntry,
  Turn,
  UserMessageEntry,
  WakeEntry,
} from '@threadbox/sdk'
import type { OutgoingMessage } from '../../../page/thread/state/thread-store.ts'

/**
 * One item of the rendered conversation. `key` is stable for the life of the row. `wasAsleep`: the sandbox was asleep at
 * this place in the order shown, so the vertical line beside the row is dashed. `isLatest`: the row belongs to the newest
 * wake, or to the newest turn.
 */
export type Row = { key: string; wasAsleep?: true } & (
  | { kind: 'user'; entry: UserMessageEntry }
  | { kind: 'outgoing'; message: OutgoingMessage }
  | { kind: 'text'; entry: TextEntry }
  | { kind: 'reasoning'; entry: TextEntry }
  | { kind: 'call'; entry: ToolCallEntry }
  | { kind: 'files'; entries: ToolCallEntry[] }
  | { kind: 'notice'; entry: NoticeEntry; turn: Turn | undefined; isUndoable: boolean }
  | { kind: 'wake'; entry: WakeEntry; isLatest: boolean }
  | { kind: 'failure'; turn: Turn; isLatest: boolean }
  | { kind: 'working'; turn: Turn }
  | { kind: 'turn-end'; turn: Turn; text: string; isLatest: boolean }
)

/** The rows of a conversation, in order. Queued messages are not rows: they are in the queue strip. */
export function rowsOf(state: ThreadState, outgoing: readonly OutgoingMessage[] = []): Row[] {
  const entries = moveWakesAboveWaitingCalls(state.entries.filter((entry) => !isWaiting(entry)))
  const latestTurnId = entries.findLast((entry) => entry.turnId !== '')?.turnId
  const latestWakeId = entries.findLast((entry) => entry.kind === 'wake')?.id
  const undoableId = undoableRewindOf(entries, state.turns)?.id
  const rows: Row[] = []
  let wasAsleep = false
  for (const [index, entry] of entries.entries()) {
    const from = rows.length
    addEntry(rows, { entry, turn: state.turns[entry.turnId], latestWakeId, undoableId })
    const turn = state.turns[entry.turnId]
    if (turn !== undefined && isLastOfTurn(entries, { index, turn }))
      rows.push(...statusRowsOf(turn, { entries, latestTurnId }))
    if (wasAsleep && entry.kind !== 'wake') for (const row of rows.slice(from)) row.wasAsleep = true
    wasAsleep = isAsleepAfter(entry, wasAsleep)
  }
  for (const message of outgoing) rows.push({ kind: 'outgoing', key: message.key, message })
  return rows
}

/** True only if two rows render the same. Entries and turns are immutable, so they are compared by identity. */
export function isSameRow(a: Row, b: Row): boolean {
  if (a.kind !== b.kind || a.key !== b.key || a.wasAsleep !== b.wasAsleep) return false
  if (a.kind === 'files' && b.kind === 'files') {
    return a.entries.length === b.entries.length && a.entries.every((entry, index) => entry === b.entries[index])
  }
  const left: Record<string, unknown> = a
  const right: Record<string, unknown> = b
  return Object.keys(a).every((name) => left[name] === right[name])
}

/** Messages that no turn has taken yet (`queued`) or that are on hold (`held`), in order. */
export function queueOf(state: ThreadState): UserMessageEntry[] {
  return state.entries.filter(isWaiting)
}

/** The running turn, if there is one. */
export function runningTurnOf(state: ThreadState): Turn | undefined {
  return Object.values(state.turns).find((turn) => turn.status === 'running')
}

/** The message that ↑ in an empty composer edits: the last one, whether delivered, queued or held. */
export function lastMessageOf(state: ThreadState): UserMessageEntry | undefined {
  return state.entries.findLast((entry) => entry.kind === 'user-message')
}

/** The loaded messages that the thread can be rewound to, newest first: all delivered ones, also without a response. */
export function rewindableMessagesOf(state: ThreadState): UserMessageEntry[] {
  const messages = state.entries.filter((entry) => entry.kind === 'user-message')
  return messages.filter(({ status }) => status === 'delivered').toReversed()
}

/** Files that the thread’s entries name. A path in text becomes a link only if it is one of these. */
export function knownPathsOf(state: ThreadState): Set<string> {
  const paths = new Set<string>()
  for (const entry of state.entries) {
    if (entry.kind === 'user-message') for (const attachment of entry.attachments) paths.add(attachment.path)
    if (entry.kind !== 'tool-call') continue
    const result = entry.result
    if (result !== null && 'path' in result && result.path !== null) paths.add(result.path)
  }
  return paths
}

/** The notice of the rewind that can be undone: the newest, unless a delivered message follows it or its own turn was retried. */
function undoableRewindOf(entries: readonly Entry[], turns: ThreadState['turns']): NoticeEntry | undefined {
  const last = entries.findLast((entry) => entry.kind === 'user-message' || isRewind(entry))
  if (last?.kind !== 'notice' || last.params.rewindId === undefined) return undefined
  const turn = turns[last.turnId]
  // A turn that failed before the rewind can be retried after it.
  const wasRetried = turn !== undefined && (turn.endedAt === null || turn.endedAt > last.at)
  return wasRetried ? undefined : last
}

function isRewind(entry: Entry): boolean {
  return entry.kind === 'notice' && entry.code === 'rewound'
}

/**
 * The server records a call before it wakes the sandbox for it, and the call takes effect after the wake. So a wake
 * stands above the calls that had not started at that time.
 */
function moveWakesAboveWaitingCalls(entries: readonly Entry[]): Entry[] {
  const ordered: Entry[] = []
  for (const entry of entries) {
    let at = ordered.length
    if (entry.kind === 'wake') while (waitedFor(ordered[at - 1], entry)) at -= 1
    ordered.splice(at, 0, entry)
  }
  return ordered
}

function waitedFor(entry: Entry | undefined, wake: WakeEntry): boolean {
  return entry?.kind === 'tool-call' && (entry.startedAt === null || entry.startedAt >= wake.report.wokenAt)
}

/** Notices that can follow the end of a turn without being a part of it. All others respond to a turn or interrupt it. */
const sandboxNotices: readonly NoticeEntry['code'][] = [
  'sandbox-paused',
  'sandbox-waiting',
  'awake-limit-near',
  'retention-near',
  'disk-nearly-full',
]

/**
 * True for entries that say nothing about where the turn ends: those without a turn and, once the turn has ended, wakes
 * and sandbox notices. `isTurnRunning` is about the turn whose end is sought.
 */
function isOutsideTurn(entry: Entry, isTurnRunning: boolean): boolean {
  if (entry.turnId === '') return true
  if (isTurnRunning) return false
  return entry.kind === 'wake' || (entry.kind === 'notice' && sandboxNotices.includes(entry.code))
}

function isLastOfTurn(entries: readonly Entry[], { index, turn }: { index: number; turn: Turn }): boolean {
  const isRunning = turn.status === 'running'
  const [entry, ...later] = entries.slice(index, index + 1 + maxSandboxEventsInRow)
  if (entry === undefined || isOutsideTurn(entry, isRunning)) return false
  return later.find((next) => !isOutsideTurn(next, isRunning))?.turnId !== entry.turnId
}

/** Entries that are searched for a turn’s next one. If all are outside of turns, its end would show twice. */
const maxSandboxEventsInRow = 50

/** True if the sandbox is asleep after the entry: calls need it awake, a start or stop shows as its own row. */
function isAsleepAfter(entry: Entry, wasAsleep: boolean): boolean {
  if (entry.kind === 'wake' || entry.kind === 'tool-call') return false
  if (entry.kind !== 'notice') return wasAsleep
  if (entry.code === 'sandbox-paused') return true
  return wasAsleep && !['sandbox-started', 'sandbox-stopped', 'sandbox-replaced'].includes(entry.code)
}

function isWaiting(entry: Entry): entry is UserMessageEntry {
  return entry.kind === 'user-message' && entry.status !== 'delivered'
}

function addEntry(
  rows: Row[],
  context: { entry: Entry; turn: Turn | undefined; latestWakeId: string | undefined; undoableId: string | undefined },
): void {
  const { entry, turn, latestWakeId } = context
  const key = entry.id
  switch (entry.kind) {
    case 'user-message':
      rows.push({ kind: 'user', key, entry })
      return
    case 'text':
    case 'reasoning':
      if (entry.text !== '' || entry.status === 'streaming') rows.push({ kind: entry.kind, key, entry })
      return
    case 'notice':
      rows.push({ kind: 'notice', key, entry, turn, isUndoable: entry.id === context.undoableId })
      return
    case 'wake':
      rows.push({ kind: 'wake', key, entry, isLatest: entry.id === latestWakeId })
      return
    case 'tool-call':
      addCall(rows, entry)
  }
}

/** Files that a turn shares one after another form one row. */
function addCall(rows: Row[], entry: ToolCallEntry): void {
  if (entry.result?.kind !== 'file') {
    rows.push({ kind: 'call', key: entry.id, entry })
    return
  }
  const last = rows.at(-1)
  if (last?.kind === 'files' && last.entries[0]?.turnId === entry.turnId) last.entries.push(entry)
  else rows.push({ kind: 'files', key: entry.id, entries: [entry] })
}

/** At most one row, below a turn’s entries: `working`, `failure` or `turn-end`. */
function statusRowsOf(turn: Turn, context: { entries: readonly Entry[]; latestTurnId: string | undefined }): Row[] {
  const own = context.entries.filter((entry) => entry.turnId === turn.id)
  const isLatest = turn.id === context.latestTurnId
  if (turn.status === 'running') {
    return own.some(showsProgress) ? [] : [{ kind: 'working', key: `${turn.id}-working`, turn }]
  }
  if (turn.status === 'failed') return [{ kind: 'failure', key: `${turn.id}-failure`, turn, isLatest }]
  const text = own.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : [])).join('\n\n')
  if (text === '') return []
  return [{ kind: 'turn-end', key: `${turn.id}-end`, turn, text, isLatest }]
}

/** True if the entry itself shows that the turn works, so that no `working` row is needed. */
function showsProgress(entry: Entry): boolean {
  if (entry.kind === 'tool-call') return ['running', 'waiting', 'awaiting-approval'].includes(entry.status)
  return (entry.kind === 'text' || entry.kind === 'reasoning') && entry.status === 'streaming' && entry.text !== ''
}

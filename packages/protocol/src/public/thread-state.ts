import type { Entry, TextEntry, ToolCallEntry } from './entries.ts'
import type { EntriesPage, ThreadEvent } from './events.ts'
import type { Turn } from './thread.ts'

/** A conversation as a value. The server’s tests and the browser fold the same events into it with the same code. */
export type ThreadState = {
  entries: readonly Entry[]
  turns: Readonly<Record<string, Turn>>
  lastSeq: number
  before: string | null
  /** The stream can’t bring this state up to date; fetch the entries again. */
  isStale: boolean
}

/** How much of a running command’s output the state keeps: enough for the twelve lines of a closed card. */
export const outputWindowCharacters = 16 * 1024

export function threadStateOf(page: EntriesPage): ThreadState {
  return {
    entries: page.entries,
    turns: Object.fromEntries(page.turns.map((turn) => [turn.id, turn])),
    lastSeq: page.lastSeq,
    before: page.before,
    isStale: false,
  }
}

/** Puts an older page above the loaded entries. */
export function withOlderPage(state: ThreadState, page: EntriesPage): ThreadState {
  const known = new Set(state.entries.map((entry) => entry.id))
  return {
    ...state,
    entries: [...page.entries.filter((entry) => !known.has(entry.id)), ...state.entries],
    turns: { ...Object.fromEntries(page.turns.map((turn) => [turn.id, turn])), ...state.turns },
    before: page.before,
  }
}

/**
 * Folds one event into the state. A recorded event that was seen before changes nothing; a gap makes the state stale.
 */
export function applyThreadEvent(state: ThreadState, event: ThreadEvent): ThreadState {
  if (event.type === 'reset') return { ...state, isStale: true }
  if (event.type === 'output-appended') return updateEntry(state, event.entryId, (entry) => appendOutput(entry, event))
  if (event.seq <= state.lastSeq) return state
  if (event.seq > state.lastSeq + 1) return { ...state, isStale: true }
  return { ...applyRecorded(state, event), lastSeq: event.seq }
}

type Recorded = Exclude<ThreadEvent, { type: 'reset' } | { type: 'output-appended' }>

function applyRecorded(state: ThreadState, event: Recorded): ThreadState {
  switch (event.type) {
    case 'entry-added':
    case 'entry-updated':
      return putEntry(state, event.entry)
    case 'entry-removed':
      return { ...state, entries: state.entries.filter((entry) => entry.id !== event.entryId) }
    case 'text-appended':
      return updateEntry(state, event.entryId, (entry) => appendText(entry, event))
    case 'display-added':
      return updateEntry(state, event.entryId, (entry) => addDisplay(entry, event.display))
    case 'turn-updated':
      return { ...state, turns: { ...state.turns, [event.turn.id]: event.turn } }
    case 'thread-updated':
      return state
    default:
      // A newer server can send events that this client does not know.
      return state
  }
}

function putEntry(state: ThreadState, entry: Entry): ThreadState {
  const index = state.entries.findIndex((candidate) => candidate.id === entry.id)
  if (index < 0) return { ...state, entries: [...state.entries, entry] }
  return { ...state, entries: state.entries.with(index, entry) }
}

function updateEntry(state: ThreadState, entryId: string, change: (entry: Entry) => Entry): ThreadState {
  const index = state.entries.findLastIndex((candidate) => candidate.id === entryId)
  const entry = state.entries[index]
  return entry === undefined ? state : { ...state, entries: state.entries.with(index, change(entry)) }
}

function appendText(entry: Entry, event: { offset: number; text: string }): Entry {
  if (entry.kind !== 'text' && entry.kind !== 'reasoning') return entry
  const text: TextEntry['text'] = entry.text.slice(0, event.offset) + event.text
  return { ...entry, text }
}

function addDisplay(
  entry: Entry,
  display: NonNullable<Extract<ToolCallEntry['result'], { kind: 'python' }>>['displays'][number],
): Entry {
  if (entry.kind !== 'tool-call') return entry
  const result =
    entry.result?.kind === 'python' ? entry.result : { kind: 'python' as const, displays: [], traceback: null }
  if (result.displays.some((known) => known.id === display.id)) return entry
  return { ...entry, result: { ...result, displays: [...result.displays, display] } }
}

function appendOutput(entry: Entry, event: { offset: number; text: string; sizeBytes: number }): Entry {
  if (entry.kind !== 'tool-call' || event.sizeBytes <= entry.output.sizeBytes) return entry
  const isContinuation = event.offset === entry.output.sizeBytes
  const joined = isContinuation ? entry.output.tail + event.text : event.text
  const tail = joined.slice(-outputWindowCharacters)
  const dropped = new TextEncoder().encode(joined.slice(0, joined.length - tail.length)).length
  const start = isContinuation ? entry.output.tailOffset : event.offset
  return { ...entry, output: { tail, tailOffset: start + dropped, sizeBytes: event.sizeBytes } }
}

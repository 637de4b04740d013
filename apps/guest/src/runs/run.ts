import type { runs } from '@threadbox/protocol/guest'
import type { OutputLog } from './output-log.ts'

/** How an execution ended; fields that do not apply are absent. */
export type ExecutionEnd = {
  cause: runs.EndCause
  exitCode: number
  signal: string
  message: string
  cwd: string
  outputSize: number
  errorName: string
  errorValue: string
  traceback: string
  durationMs: number
  stillRunning: string[]
}

export type RunDisplay = { bundleJson: string; isResult: boolean }

/**
 * A command or a cell, from its start until it is forgotten. Its producer appends to `log` and `displays` and calls
 * `changed`; readers come and go.
 */
export type Execution = {
  readonly key: string
  readonly log: OutputLog
  readonly displays: RunDisplay[]
  readonly end: ExecutionEnd | undefined
  /** Stops it, once; `cause` says on behalf of what. Resolves when it has ended. */
  stop(cause: StopCause): Promise<void>
  /** Frees everything. Only for executions that have ended. */
  dispose(): void
  /** Calls `listener` at each change until the returned function is called. */
  onChange(listener: () => void): () => void
}

export type StopCause = runs.EndCause.STOPPED | runs.EndCause.TIMEOUT

/** An execution with the means to change it, for its producer only. */
export type ExecutionRecord = Omit<Execution, 'stop' | 'dispose'> & {
  changed(): void
  finish(end: ExecutionEnd): void
  whenEnded: Promise<void>
}

export function makeExecutionRecord(options: { key: string; log: OutputLog }): ExecutionRecord {
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const displays: RunDisplay[] = []
  let end: ExecutionEnd | undefined
  const ended = Promise.withResolvers<void>()
  return {
    key: options.key,
    log: options.log,
    displays,
    get end() {
      return end
    },
    whenEnded: ended.promise,
    changed,
    finish: (value) => {
      end = withBoundedTexts(value)
      ended.resolve()
      changed()
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Longest text of an error or a traceback, in characters: readers accept messages of some MiB. */
const maxTextCharacters = 256 * 1024
const maxStillRunning = 100
/** Of the name of an error, and of a command line. */
const maxLineCharacters = 1000

/** Programs choose these texts, so an exception can have a message of any length. */
function withBoundedTexts(end: ExecutionEnd): ExecutionEnd {
  return {
    ...end,
    errorName: end.errorName.slice(0, maxLineCharacters),
    errorValue: middleOmitted(end.errorValue),
    traceback: middleOmitted(end.traceback),
    stillRunning: end.stillRunning
      .slice(0, maxStillRunning)
      .map((commandLine) => commandLine.slice(0, maxLineCharacters)),
  }
}

function middleOmitted(text: string): string {
  if (text.length <= maxTextCharacters) return text
  const kept = maxTextCharacters / 2
  return `${text.slice(0, kept)}\n[${text.length - 2 * kept} characters omitted]\n${text.slice(-kept)}`
}

/** An end that has nothing but a cause. */
export function plainEnd(cause: runs.EndCause): ExecutionEnd {
  return {
    cause,
    exitCode: 0,
    signal: '',
    message: '',
    cwd: '',
    outputSize: 0,
    errorName: '',
    errorValue: '',
    traceback: '',
    durationMs: 0,
    stillRunning: [],
  }
}

/** Returns what readers see of a record. Its getters stay getters, which copying the properties would not do. */
export function viewOf(record: ExecutionRecord): Omit<Execution, 'stop' | 'dispose'> {
  return Object.create(record) as ExecutionRecord
}

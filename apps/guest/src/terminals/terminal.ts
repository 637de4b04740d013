import { waitAtMost } from '@threadbox/concurrency'
import type { ManagedProcess, ProcessEnd } from '../processes/managed-process.ts'
import { makeScrollback, type ScrollbackBegin } from './scrollback.ts'

/**
 * A reader that is further behind than this makes the terminal wait: less than what is kept, so that it loses nothing.
 */
const lagBytes = 512 * 1024
/** How long the terminal waits for a reader that takes nothing; after that it is left behind. */
const stallMs = 30_000
/** Largest piece delivered at one time. */
const chunkBytes = 32 * 1024
const keepAliveMs = 15_000
/** How long a shell can take to hang up on its programs. */
const hangUpMs = 2000

export type TerminalSize = { cols: number; rows: number }
export type TerminalEvent =
  | { type: 'begin'; begin: ScrollbackBegin; size: TerminalSize; liveFrom: number }
  | { type: 'output'; data: Buffer }
  | { type: 'resized'; size: TerminalSize }
  | { type: 'ended'; end: ProcessEnd }
  | { type: 'keepalive' }

/** A shell in a pseudo-terminal with the end of its output, and its readers. */
export type Terminal = {
  readonly id: string
  readonly pid: number
  readonly size: TerminalSize
  /** Set when its shell has ended and all of its output is in the scrollback. */
  readonly end: ProcessEnd | undefined
  write(data: Uint8Array, isReport: boolean): Promise<void>
  resize(size: TerminalSize): void
  /** Hangs up; kills what is left after a grace period. Resolves when its shell has ended. */
  close(): Promise<void>
  /** Streams from an offset on, live. Ends after `ended`, and when the signal aborts. */
  follow(from: number, signal: AbortSignal): AsyncGenerator<TerminalEvent>
}

/** A reader by its offset; undefined while it has to start over. */
type Reader = { offset: number | undefined; isLeftBehind: boolean }

export function makeTerminal(options: {
  id: string
  process: ManagedProcess
  size: TerminalSize
  stallMs?: number
}): Terminal {
  const { process } = options
  const scrollback = makeScrollback()
  const readers = new Set<Reader>()
  const changes = makeSignal()
  const reads = makeSignal()
  let size = options.size
  let end: ProcessEnd | undefined
  const slowReaders = () =>
    [...readers].filter((reader) => !reader.isLeftBehind && scrollback.size - (reader.offset ?? 0) >= lagBytes)
  const waitForReaders = async () => {
    while (slowReaders().length > 0) {
      const end = await waitAtMost(options.stallMs ?? stallMs, { work: reads.next() })
      if (end === 'late') for (const reader of slowReaders()) reader.isLeftBehind = true
    }
  }
  const collect = async () => {
    const queue = process.subscribe()
    const forever = {
      signal: new AbortController().signal,
      idleMs: 2 ** 31 - 1,
      idle: { case: 'keepalive' as const, value: {} },
    }
    for await (const event of queue.read(forever)) {
      if (event.case === 'end') end = { ...(event.value as ProcessEnd) }
      else if (event.case === 'data') {
        const data = event.value.output?.value
        if (data !== undefined) scrollback.append(data as Uint8Array)
      }
      changes.tell()
      await waitForReaders()
    }
  }
  void collect()
  return {
    id: options.id,
    pid: process.pid,
    get size() {
      return size
    },
    get end() {
      return end
    },
    write: (data, isReport) => process.write({ data, as: 'pty', isReport }),
    resize: (next) => {
      if (end !== undefined) return
      process.resize(next)
      size = next
      changes.tell()
    },
    close: async () => {
      if (process.end !== undefined) return
      process.signal('SIGHUP')
      if ((await waitAtMost(hangUpMs, { work: process.whenEnded })) === 'late') process.signal('SIGKILL')
      await process.whenEnded
    },
    follow: (from, signal) =>
      follow({ scrollback, readers, changes, reads, size: () => size, end: () => end }, { from, signal }),
  }
}

type Source = {
  scrollback: ReturnType<typeof makeScrollback>
  readers: Set<Reader>
  changes: Signal
  reads: Signal
  size(): TerminalSize
  end(): ProcessEnd | undefined
}

async function* follow(
  source: Source,
  { from, signal }: { from: number; signal: AbortSignal },
): AsyncGenerator<TerminalEvent> {
  const { scrollback, readers, changes, reads } = source
  const isKept = from > scrollback.dropped && from <= scrollback.size
  const reader: Reader = { offset: isKept ? from : undefined, isLeftBehind: false }
  let told = source.size()
  readers.add(reader)
  try {
    if (isKept)
      yield { type: 'begin', begin: { offset: from, modes: Buffer.alloc(0) }, size: told, liveFrom: scrollback.size }
    while (!signal.aborted) {
      // Subscribed before reading, so that no change is missed in between.
      const changed = changes.next()
      const size = source.size()
      if (reader.offset === undefined || reader.offset < scrollback.dropped) {
        const begin = scrollback.begin()
        Object.assign(reader, { offset: begin.offset, isLeftBehind: false })
        told = size
        yield { type: 'begin', begin, size, liveFrom: scrollback.size }
      } else if (size !== told) {
        told = size
        yield { type: 'resized', size }
      } else if (reader.offset < scrollback.size) {
        const data = scrollback.read(reader.offset, chunkBytes)
        reader.offset += data.length
        reads.tell()
        yield { type: 'output', data }
      } else if (source.end() !== undefined) {
        yield { type: 'ended', end: source.end() as ProcessEnd }
        return
      } else if ((await waitAtMost(keepAliveMs, { work: changed, signal })) === 'late') yield { type: 'keepalive' }
    }
  } finally {
    readers.delete(reader)
    reads.tell()
  }
}

type Signal = { tell(): void; next(): Promise<void> }

function makeSignal(): Signal {
  let { promise, resolve } = Promise.withResolvers<void>()
  return {
    tell: () => {
      resolve()
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
    next: () => promise,
  }
}

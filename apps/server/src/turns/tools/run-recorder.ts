import { makeBackground, waitAtMost } from '@threadbox/concurrency'
import type { Display, ToolCallEntry } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type OutputLimits, type OutputWriter, openOutputWriter, outputKey, readOutput } from '../../threads/public.ts'
import { emptyOutputWindow, nextShown, type OutputWindow, tailOf, withOutput } from '../record/output-window.logic.ts'

/** Stores, records and acknowledges an execution's output, and only then shows it to readers. */
export type OutputRecorder = {
  /** Resolves when more can be written. The data is stored a moment later at the latest. */
  write(data: Uint8Array): Promise<void>
  display(display: Display): Promise<void>
  /** Stores everything that is pending. Afterward all that is kept of the output is stored. */
  flush(): Promise<void>
  tail(): ToolCallEntry['output']
  /** Directs acknowledgments to the guest that currently has the execution. */
  acknowledgeTo(acknowledge: (offset: number) => Promise<void>): void
}

export type OutputRecorderOptions = {
  blobs: BlobStore
  call: { id: string; threadId: string; outputBytes: number }
  limits(): Promise<OutputLimits>
  /** Records durably how many bytes were written, and how many of them are kept; null if all are. */
  recordSize(size: { outputBytes: number; keptOutputBytes: number | null }): Promise<void>
  recordDisplay(display: Display): Promise<void>
  show(event: { offset: number; text: string; sizeBytes: number }): void
  /** Records the current end of the output, for readers who open the conversation while the execution runs. */
  recordTail(tail: ToolCallEntry['output']): Promise<void>
}

/** Interval of storing slow output: the first bytes immediately, the following ones together. */
const storeEveryMs = 50
/** Limits updates to 10 per second: more of them are not noticeable. */
const showEveryMs = 100
/**
 * After a reload a silent command's earlier output is shown. A shorter interval would only write the same data more
 * often.
 */
const recordTailEveryMs = 2000
/** Bytes that can wait to be stored; beyond that the reader waits, and the guest with it. */
const maxPendingBytes = 1024 * 1024

/** Creates a recorder that continues where an earlier one, possibly of another process, had stored to. */
export async function makeOutputRecorder(options: OutputRecorderOptions): Promise<OutputRecorder> {
  const { blobs, call } = options
  const key = outputKey(call)
  const writer = await openOutputWriter(blobs, { key, sizeBytes: call.outputBytes, limits: options.limits })
  let window = await storedWindow(blobs, { key, ...writer.kept() })
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let storing: Promise<void> | undefined
  let failure: unknown
  let showTimer: NodeJS.Timeout | undefined
  let tailTimer: NodeJS.Timeout | undefined
  const tails = makeBackground<'tail'>((error) => {
    failure = error
  })
  let acknowledge: (offset: number) => Promise<void> = async () => undefined

  const tail = () => ({ ...tailOf(window), ...limitedPart(writer) })
  const storeOnce = async () => {
    const data = Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    await writer.append(data)
    window = withOutput(window, data)
    await options.recordSize({ outputBytes: window.sizeBytes, keptOutputBytes: keptBytes(writer) })
    await writer.prune()
    // The bytes are safe: after a lost acknowledgment the guest only holds them a little longer.
    void acknowledge(window.sizeBytes).catch(() => undefined)
    showSoon()
    tailTimer ??= setTimeout(recordTail, recordTailEveryMs)
  }
  const recordTail = () => {
    tailTimer = undefined
    const recorded = options.recordTail(tail()).then(() => {
      // Readers were reset to the recorded size: they get the window again, which brings them up to date.
      window = { ...window, shownBytes: Math.max(0, window.sizeBytes - window.bytes.length - 1) }
      show()
    })
    void tails.keep(recorded, 'tail')
  }
  const storeAll = async () => {
    while (pendingBytes > 0) {
      await storeOnce()
      if (pendingBytes > 0 && pendingBytes < maxPendingBytes) await waitAtMost(storeEveryMs)
    }
  }
  const startStoring = () => {
    storing ??= storeAll()
      .catch((error: unknown) => {
        failure = error
      })
      .finally(() => {
        storing = undefined
      })
    return storing
  }
  const show = () => {
    const next = nextShown(window)
    if (next === undefined) return
    window = next.window
    options.show({ offset: next.offset, text: next.text, sizeBytes: next.sizeBytes })
  }
  const showSoon = () => {
    if (showTimer !== undefined) return
    show()
    showTimer = setTimeout(() => {
      showTimer = undefined
      if (nextShown(window) !== undefined) showSoon()
    }, showEveryMs)
  }
  const rethrow = () => {
    if (failure !== undefined) throw failure
  }

  return {
    write: async (data) => {
      rethrow()
      pending.push(data)
      pendingBytes += data.length
      const stored = startStoring()
      if (pendingBytes >= maxPendingBytes) await stored
      rethrow()
    },
    display: options.recordDisplay,
    flush: async () => {
      while (pendingBytes > 0 || storing !== undefined) {
        await startStoring()
        rethrow()
      }
      clearTimeout(showTimer)
      clearTimeout(tailTimer)
      showTimer = undefined
      tailTimer = undefined
      show()
      await tails.settled()
      rethrow()
    },
    tail,
    acknowledgeTo: (next) => {
      acknowledge = next
    },
  }
}

/** Null if every byte is kept. */
function keptBytes(writer: OutputWriter): number | null {
  const { headBytes, tailFrom, sizeBytes } = writer.kept()
  return headBytes === tailFrom ? null : headBytes + sizeBytes - tailFrom
}

/** What an entry says of an output that wasn’t kept whole; nothing of others. */
function limitedPart(writer: OutputWriter): Pick<ToolCallEntry['output'], 'kept'> {
  const limit = writer.limit()
  if (limit === undefined) return {}
  const { headBytes, tailFrom } = writer.kept()
  return { kept: { headBytes, tailFrom, limit } }
}

async function storedWindow(
  blobs: BlobStore,
  stored: { key: string; sizeBytes: number; headBytes: number; tailFrom: number },
): Promise<OutputWindow> {
  if (stored.sizeBytes === 0) return emptyOutputWindow
  const last = Math.max(0, stored.sizeBytes - 16 * 1024)
  const offset = stored.headBytes === stored.tailFrom ? last : Math.max(last, stored.tailFrom)
  const bytes = await readOutput(blobs, { key: stored.key, offset, length: stored.sizeBytes - offset })
  const before = { ...emptyOutputWindow, sizeBytes: stored.sizeBytes - bytes.length, shownBytes: stored.sizeBytes }
  return { ...withOutput(before, bytes), shownBytes: stored.sizeBytes }
}

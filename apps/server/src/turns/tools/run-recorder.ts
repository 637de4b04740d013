import { makeBackground, waitAtMost } from '@threadbox/concurrency'
import type { Display } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { outputKey, readStored } from '../../threads/public.ts'
import { emptyOutputWindow, nextShown, type OutputWindow, tailOf, withOutput } from '../record/output-window.models.ts'

/** Where a run's output goes on its way to the user: stored, recorded, acknowledged, and only then shown. */
export type RunRecorder = {
  /** Resolves when there is room for more; what was given is stored a moment later at the latest. */
  write(data: Uint8Array): Promise<void>
  display(display: Display): Promise<void>
  /** Stores everything that is left. Afterwards the whole output is in the blob. */
  flush(): Promise<void>
  tail(): { tail: string; tailOffset: number; sizeBytes: number }
  /** Makes acknowledgements go to the guest that holds the run now. */
  acknowledgeTo(acknowledge: (offset: number) => Promise<void>): void
}

export type RunRecorderOptions = {
  blobs: BlobStore
  call: { id: string; threadId: string; outputBytes: number }
  /** Records durably how much of the output is stored. */
  recordSize(sizeBytes: number): Promise<void>
  recordDisplay(display: Display): Promise<void>
  show(event: { offset: number; text: string; sizeBytes: number }): void
  /** Records the end of the output as it is now, for whoever opens the conversation while the run goes on. */
  recordTail(tail: { tail: string; tailOffset: number; sizeBytes: number }): Promise<void>
}

/** Output is stored at this rhythm while it trickles: the first bytes at once, the next ones together. */
const storeEveryMs = 50
/** Shown at most ten times a second: more redraws than that help nobody. */
const showEveryMs = 100
/** A silent command's earlier output is there after a reload; more often would only write the same again and again. */
const recordTailEveryMs = 2000
/** So much may wait to be stored; then the reader waits, and the guest with it. */
const maxPendingBytes = 1024 * 1024

/** A recorder that goes on where an earlier one, perhaps of another process, had stored to. */
export async function makeRunRecorder(options: RunRecorderOptions): Promise<RunRecorder> {
  const { blobs, call } = options
  const key = outputKey(call)
  let window = await storedWindow(blobs, { key, sizeBytes: call.outputBytes })
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

  const storeOnce = async () => {
    const data = Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    await blobs.append(key, window.sizeBytes, data)
    window = withOutput(window, data)
    await options.recordSize(window.sizeBytes)
    // The bytes are safe: an acknowledgement that gets lost only makes the guest hold them a little longer.
    void acknowledge(window.sizeBytes).catch(() => undefined)
    showSoon()
    tailTimer ??= setTimeout(recordTail, recordTailEveryMs)
  }
  const recordTail = () => {
    tailTimer = undefined
    const recorded = options.recordTail(tailOf(window)).then(() => {
      // Readers have been put back to the recorded size: they are shown the window again, which brings them forward.
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
    tail: () => tailOf(window),
    acknowledgeTo: (next) => {
      acknowledge = next
    },
  }
}

async function storedWindow(blobs: BlobStore, stored: { key: string; sizeBytes: number }): Promise<OutputWindow> {
  if (stored.sizeBytes === 0) return emptyOutputWindow
  const offset = Math.max(0, stored.sizeBytes - 16 * 1024)
  const bytes = await readStored(blobs, { key: stored.key, offset, length: stored.sizeBytes - offset })
  const before = { ...emptyOutputWindow, sizeBytes: stored.sizeBytes - bytes.length, shownBytes: stored.sizeBytes }
  return { ...withOutput(before, bytes), shownBytes: stored.sizeBytes }
}

import { once } from 'node:events'
import type { RestOutcome } from '@threadbox/protocol/gateway'
import { restNotEnded } from './gateway.errors.ts'

/**
 * The requests that use a boot now. While the boot rests, new ones wait: the host has frozen it, or is about to.
 */
export type BootUses = {
  /**
   * Waits until the boot doesn’t rest. From then on it is in use, until the result is disposed of; a request that only
   * follows changes does not count. Rejects with the reason of the boot’s end, or if the rest doesn’t end in time.
   */
  begin(request: { followsChanges: boolean }): Promise<Disposable>
  /** A request of the host, which never waits: the host knows whether the boot rests. */
  beginOfHost(): Disposable
  /** Has new requests wait, if nothing has used the boot for so long. */
  rest(unusedMs: number): RestOutcome
  rouse(): void
}

/** The host lets a boot continue within milliseconds. */
const defaultRouseMs = 10_000

export function makeBootUses(options: {
  ended: AbortSignal
  /** Called when the first request has to wait. */
  onWanted: () => void
  rouseMs?: number
}): BootUses {
  const { ended, onWanted, rouseMs = defaultRouseMs } = options
  let usedAt = performance.now()
  let count = 0
  let hostsCount = 0
  let rest: { over: AbortController; isWanted: boolean } | undefined
  const untilRoused = async (present: NonNullable<typeof rest>) => {
    if (!present.isWanted) {
      present.isWanted = true
      onWanted()
    }
    const over = present.over.signal
    const end = AbortSignal.any([over, ended, AbortSignal.timeout(rouseMs)])
    if (!end.aborted) await once(end, 'abort')
    ended.throwIfAborted()
    if (over.aborted) return
    // The host may not have got the event.
    present.isWanted = false
    throw restNotEnded({ seconds: Math.ceil(rouseMs / 1000) })
  }
  return {
    begin: async ({ followsChanges }) => {
      while (rest !== undefined) await untilRoused(rest)
      usedAt = performance.now()
      if (followsChanges) return nothingToEnd
      count += 1
      return onceDisposed(() => {
        count -= 1
        usedAt = performance.now()
      })
    },
    beginOfHost: () => {
      hostsCount += 1
      return onceDisposed(() => {
        hostsCount -= 1
      })
    },
    rest: (wantedMs) => {
      const unusedMs = count > 0 ? 0 : performance.now() - usedAt
      const isResting = rest !== undefined || (hostsCount === 0 && count === 0 && unusedMs >= wantedMs)
      if (isResting) rest ??= { over: new AbortController(), isWanted: false }
      return { isResting, unusedMs }
    },
    rouse: () => {
      rest?.over.abort()
      rest = undefined
    },
  }
}

const nothingToEnd: Disposable = { [Symbol.dispose]: () => undefined }

function onceDisposed(end: () => void): Disposable {
  let hasEnded = false
  return {
    [Symbol.dispose]: () => {
      if (hasEnded) return
      hasEnded = true
      end()
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'

/** True when the work has ended, or when the signal aborted; false when it took too long. */
export async function within(work: Promise<unknown>, wait: { ms: number; signal?: AbortSignal }): Promise<boolean> {
  const over = new AbortController()
  const either = wait.signal === undefined ? over.signal : AbortSignal.any([over.signal, wait.signal])
  const late = delay(wait.ms, false, { signal: either, ref: false }).catch(() => true)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    over.abort()
  }
}

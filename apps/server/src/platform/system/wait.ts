/**
 * Resolves when the time is over, `work` has ended, however it did, or the signal was aborted, whichever comes first.
 * Never rejects, and leaves no timer behind.
 */
export function waitAtMost(delayMs: number, until: { work?: Promise<unknown>; signal?: AbortSignal }): Promise<void> {
  const { work, signal } = until
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, delayMs)
    signal?.addEventListener('abort', finish)
    work?.then(finish, finish)
    if (signal?.aborted) finish()
  })
}

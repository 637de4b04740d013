/** How a wait ended: the work ended, successfully or not; the time was over; the signal was aborted. */
export type WaitEnd = 'done' | 'late' | 'aborted'

/** Ends with the first of the three. Never rejects, and leaves neither a timer nor a listener. */
export function waitAtMost(
  delayMs: number,
  until: { work?: Promise<unknown> | undefined; signal?: AbortSignal | undefined } = {},
): Promise<WaitEnd> {
  const { work, signal } = until
  return new Promise((resolve) => {
    const finish = (end: WaitEnd) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(end)
    }
    const abort = () => finish('aborted')
    const done = () => finish('done')
    const timer = setTimeout(() => finish('late'), delayMs)
    signal?.addEventListener('abort', abort)
    work?.then(done, done)
    if (signal?.aborted) abort()
  })
}

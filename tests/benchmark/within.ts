/** The result of `work`; rejects if it takes longer, and lets it run on. */
export async function within<Result>(limitMs: number, work: PromiseLike<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${limitMs / 1000} s`)), limitMs)
  })
  try {
    return await Promise.race([work, tooLong])
  } finally {
    clearTimeout(timer)
    // The caller has its rejection already; a later one has no reader.
    Promise.resolve(work).catch(() => undefined)
  }
}

/** Work that no caller waits for. Its failures go to one function, and a stop can wait for all of it. */
export type Background<Label> = {
  /** Never rejects: a failure is passed to `failed` together with the label. */
  keep(work: Promise<unknown>, label: Label): Promise<void>
  /** Resolves when no work is left, including work that was added while waiting. Never rejects. */
  settled(): Promise<void>
}

export function makeBackground<Label>(failed: (error: unknown, label: Label) => void): Background<Label> {
  const works = new Set<Promise<void>>()
  return {
    keep: (work, label) => {
      const kept = work
        .then(
          () => undefined,
          (error: unknown) => failed(error, label),
        )
        .finally(() => works.delete(kept))
      works.add(kept)
      return kept
    },
    settled: async () => {
      while (works.size > 0) await Promise.all(works)
    },
  }
}

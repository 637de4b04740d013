/** A text that grows, and can be waited for. */
export type Transcript = {
  add(part: string): void
  text(): string
  /** Resolves when the text has this part. */
  until(part: string): Promise<void>
}

export function makeTranscript(): Transcript {
  let text = ''
  const changes = new Set<() => void>()
  return {
    add: (part) => {
      text += part
      for (const change of changes) change()
    },
    text: () => text,
    until: async (part) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const change = () => {
        if (text.includes(part)) resolve()
      }
      changes.add(change)
      change()
      await promise.finally(() => changes.delete(change))
    },
  }
}

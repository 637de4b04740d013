import type { RecordedChange } from './thread-log.store.ts'
import type { LogTransaction } from './thread-log.ts'

/** Changes of a conversation, with the writes that belong into their transaction. */
export type Append = {
  changes: readonly RecordedChange[]
  alongside?: ((transaction: LogTransaction) => Promise<void>) | undefined
}

/** An append that waits for the next one of its thread. */
export type LateAppend = Append & { recorded: PromiseWithResolvers<void> }

/** Appends that can wait a moment: the next append of their thread takes them along, because each one waits for the disk. */
export type LateAppends = {
  /** Resolves when it is recorded. */
  add(threadId: string, append: Append): Promise<void>
  /** The caller records them, in this order, and settles each. */
  take(threadId: string): LateAppend[]
  threadIds(): string[]
}

/** Calls `onDue` for a thread whose oldest append has waited long enough. */
export function makeLateAppends(options: { waitMs: number; onDue: (threadId: string) => void }): LateAppends {
  const waiting = new Map<string, { appends: LateAppend[]; timer: NodeJS.Timeout }>()
  return {
    add: (threadId, append) => {
      const late = { ...append, recorded: Promise.withResolvers<void>() }
      const present = waiting.get(threadId)
      if (present !== undefined) present.appends.push(late)
      else {
        const timer = setTimeout(() => options.onDue(threadId), options.waitMs)
        waiting.set(threadId, { appends: [late], timer })
      }
      return late.recorded.promise
    },
    take: (threadId) => {
      const { appends, timer } = waiting.get(threadId) ?? { appends: [] }
      clearTimeout(timer)
      waiting.delete(threadId)
      return appends
    },
    threadIds: () => [...waiting.keys()],
  }
}

/** One append with all of them, in order. */
export function together(appends: readonly Append[]): Append {
  return {
    changes: appends.flatMap(({ changes }) => changes),
    alongside: async (transaction) => {
      for (const { alongside } of appends) await alongside?.(transaction)
    },
  }
}

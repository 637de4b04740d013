import type { LifecycleLogCode } from '@threadbox/protocol/public'

/** A line of the lifecycle log of a thread. */
export type LifecycleLine = {
  code: LifecycleLogCode
  params?: Record<string, string | number>
  reportId?: string
}

/** Writes down what happened to sandboxes, for the people who look at their threads. */
export type LifecycleRecorder = {
  record(threadId: string, line: LifecycleLine): Promise<void>
  /** Writes the report of the wake that the thread's sandbox has on record, if there is one, and begins to look again. */
  reportWake(threadId: string): Promise<void>
}

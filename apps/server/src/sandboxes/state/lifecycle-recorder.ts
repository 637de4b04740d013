import type { LifecycleLogCode } from '@threadbox/protocol/public'

/** A line of the lifecycle log of a thread. */
export type LifecycleLine = {
  code: LifecycleLogCode
  params?: Record<string, string | number>
  reportId?: string
}

/** Records what happened to sandboxes, for the log of their threads. */
export type LifecycleRecorder = {
  record(threadId: string, line: LifecycleLine): Promise<void>
  /** Writes the report of the wake on the thread’s sandbox row, if there is one, and starts checking the sandbox. */
  reportWake(threadId: string): Promise<void>
}

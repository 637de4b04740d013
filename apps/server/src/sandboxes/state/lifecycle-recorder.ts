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
  /**
   * Writes the report of the wake on the thread’s sandbox row, if there is one, and checks the sandbox. After a wake from memory
   * both leave the command that the wake was for ahead: the report is recorded with it, and the check begins a second later.
   */
  reportWake(threadId: string): Promise<void>
  /** The same without these delays. Resolves when the report is written and its check has ended, or takes too long. */
  finishReport(threadId: string): Promise<void>
}

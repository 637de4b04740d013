import type { RewoundSandbox } from '@threadbox/protocol/host'
import type { RewindOrder, Sandbox, WakeFacts } from '../../sandboxes/public.ts'
import type { LogTransaction } from '../../threads/public.ts'

/** The sandbox operations that a rewind needs. */
export type RewindSandboxes = {
  find(threadId: string): Promise<Sandbox | undefined>
  /** Replaces the disk and records the result. Repeating an order does not exchange the disk again. */
  rewind(order: RewindOrder): Promise<RewoundSandbox>
  /** Records that a survival report is due. */
  noteWake(sandboxId: string, facts: WakeFacts, transaction: LogTransaction): Promise<void>
}

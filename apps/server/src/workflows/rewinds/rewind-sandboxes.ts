import type { RewoundSandbox } from '@threadbox/protocol/host'
import type { RewindOrder, Sandbox, WakeFacts } from '../../sandboxes/public.ts'
import type { LogTransaction } from '../../threads/public.ts'

/** What a rewind asks sandboxes for. */
export type RewindSandboxes = {
  find(threadId: string): Promise<Sandbox | undefined>
  /** Has the disk exchanged, and records what came of it. The same order again is the same exchange. */
  rewind(order: RewindOrder): Promise<RewoundSandbox>
  /** A report of what goes on is due. */
  noteWake(sandboxId: string, facts: WakeFacts, transaction: LogTransaction): Promise<void>
}

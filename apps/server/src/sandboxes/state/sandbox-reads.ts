import type { Sandbox } from './sandbox.logic.ts'
import type { SandboxMemoryRow } from './sandboxes.table.ts'

/** What other features read of sandboxes. */
export type SandboxReads = {
  find(threadId: string): Promise<Sandbox | undefined>
  /** What was alive in the sandbox when it was paused. */
  memory(sandboxId: string): Promise<SandboxMemoryRow | undefined>
}

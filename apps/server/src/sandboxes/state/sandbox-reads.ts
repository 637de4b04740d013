import type { SandboxMemoryRow, SandboxRow } from './sandboxes.table.ts'

/** What areas above read of sandboxes. */
export type SandboxReads = {
  find(threadId: string): Promise<SandboxRow | undefined>
  /** What was alive in it when it was paused. */
  memory(sandboxId: string): Promise<SandboxMemoryRow | undefined>
}

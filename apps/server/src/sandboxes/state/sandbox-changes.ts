import { nextSandboxState, type SandboxEvent, type SandboxState } from '@threadbox/domain'
import type { SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow } from './sandboxes.table.ts'

export type SandboxChange = {
  event: SandboxEvent
  bootId?: string | null
  detail?: { code: string; params: Record<string, string | number> } | null
  /** What is recorded together with the new state. */
  columns?: Partial<
    Omit<SandboxRow, 'id' | 'thread_id' | 'state' | 'since' | 'boot_id' | 'detail_code' | 'detail_json'>
  >
}

/** Applies what happened to a sandbox, if the lifecycle table allows it in the state that it is in. */
export type ChangeSandbox = (row: SandboxRow, change: SandboxChange) => Promise<SandboxRow | undefined>

/** Undefined when the table refuses the event, or somebody else changed the sandbox since `row` was read. */
export function makeChangeSandbox(options: {
  store: SandboxStore
  now: () => number
  onChanged: (threadId: string) => Promise<void>
}): ChangeSandbox {
  return async (row, change) => {
    const state = row.state as SandboxState
    const next = nextSandboxState(state, change.event)
    if (next === undefined) return undefined
    const columns = {
      ...change.columns,
      state: next,
      since: options.now(),
      detail_code: change.detail?.code ?? null,
      detail_json: change.detail == null ? null : JSON.stringify(change.detail.params),
      ...(change.bootId === undefined ? {} : { boot_id: change.bootId }),
    }
    if (!(await options.store.change({ id: row.id, state, bootId: row.boot_id }, columns))) return undefined
    await options.onChanged(row.thread_id)
    return { ...row, ...columns }
  }
}

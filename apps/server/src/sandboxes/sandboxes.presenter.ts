import type { SandboxLimits } from '@threadbox/domain'
import type { SandboxView } from '@threadbox/protocol/public'
import { limitsOf } from './sandbox-access.implementation.ts'
import type { SandboxRow } from './sandboxes.table.ts'

/** The sandbox of a thread as its owner sees it; a thread without a row has none yet. */
export function presentSandbox(
  row: SandboxRow | undefined,
  context: { limits: SandboxLimits; now: number; isHeld: boolean },
): SandboxView {
  if (row === undefined) return { state: 'fresh', since: context.now, detail: null, limits: context.limits }
  const recorded =
    row.detail_code === null
      ? null
      : { code: row.detail_code, params: JSON.parse(row.detail_json ?? '{}') as Record<string, string | number> }
  const awake = row.state === 'active' && context.isHeld ? { code: 'awake.turn', params: {} } : null
  return {
    state: row.state as SandboxView['state'],
    since: row.since,
    detail: awake ?? recorded,
    limits: limitsOf(row),
  }
}

import { decideAwake } from '@threadbox/domain'
import type { Pausing } from './pausing.ts'
import type { Sandbox } from './sandbox.logic.ts'
import { policyOf } from './sandbox-rows.ts'
import { awakeFactsOf, type PresenterContext } from './sandboxes.presenter.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/** How long a sandbox must be unused before it can be paused for another one. */
export const quietMs = 30_000

/** Pauses the sandbox that was unused for longest, if one is idle; with `among`, only one of these. */
export async function pauseLeastUsed(known: {
  store: Pick<SandboxStore, 'all'>
  pausing: Pick<Pausing, 'pause'>
  context: PresenterContext
  among?: ReadonlySet<string>
}): Promise<boolean> {
  const { context, pausing } = known
  const idle = (await known.store.all())
    .filter((row) => row.state === 'active' && (known.among?.has(row.id) ?? true))
    .map((row) => ({ row, facts: awakeFactsOf(row, context) }))
    .filter(({ row, facts }) => isIdle(row, facts, context))
    .toSorted((one, other) => one.facts.usedAt - other.facts.usedAt)
  for (const { row } of idle) {
    const isPaused = await pausing.pause(row, { cause: 'room' }).then(
      () => true,
      () => false,
    )
    if (isPaused) return true
  }
  return false
}

function isIdle(row: Sandbox, facts: ReturnType<typeof awakeFactsOf>, context: PresenterContext): boolean {
  const { reasons } = decideAwake(facts, policyOf(row, context.defaults(row.thread_id).policy).policy)
  return reasons.length === 0 && !facts.isTransferring && context.now - facts.usedAt >= quietMs
}

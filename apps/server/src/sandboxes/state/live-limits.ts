import type { SandboxLimits, SandboxState } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import type { ReadDefaults } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import { limitColumns, type Sandbox } from './sandbox.logic.ts'
import { limitsOf, wantedLimits } from './sandbox-rows.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/**
 * States with a boot whose limits can be changed; a paused one wakes with them. The others get limits at their start.
 */
const running: readonly SandboxState[] = ['starting', 'active', 'paused']

/**
 * Applies the current limits to running sandboxes. Skips those that already have them, so it can be called at any time.
 * A sandbox that cannot be reached keeps its old limits on record, and the next call tries again.
 */
export type ApplyLimits = () => Promise<void>

export function makeApplyLimits(dependencies: {
  store: SandboxStore
  host: HostClient
  defaults: ReadDefaults
  /** Sends the thread’s state to clients that show it. */
  announce: (threadId: string) => Promise<void>
  logger: Logger
}): ApplyLimits {
  const { store, host, logger } = dependencies
  const apply = async (row: Sandbox, limits: SandboxLimits) => {
    try {
      await host.change(row.id, { limits })
      await store.setLimits(row.id, limitColumns(limits))
      await dependencies.announce(row.thread_id)
    } catch (error) {
      logger.warn({ err: error, sandboxId: row.id }, 'new limits did not reach a running sandbox')
    }
  }
  return async () => {
    const defaults = await dependencies.defaults('all')
    const wanted = (row: Sandbox) => wantedLimits(row, defaults(row.thread_id).limits)
    const rows = (await store.all()).filter((row) => running.includes(row.state))
    const outdated = rows.filter((row) => !isSame(limitsOf(row), wanted(row)))
    await Promise.all(outdated.map((row) => apply(row, wanted(row))))
  }
}

function isSame(one: SandboxLimits, other: SandboxLimits): boolean {
  return (Object.keys(one) as (keyof SandboxLimits)[]).every((name) => one[name] === other[name])
}

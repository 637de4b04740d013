import { pLimit } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { RescueReport } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { Settings } from '../../people/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { DemotionsUnderWay } from '../state/demotions-under-way.ts'
import { endedEvent, type Sandbox } from '../state/sandbox.logic.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import { recordInPlace, type Transition } from '../state/transitions.ts'
import { memoryUnusableCode } from '../state/wake-boot.ts'
import { rescueBudgets } from './rescue-budgets.ts'

/**
 * Demotes paused sandboxes, a few at a time: what can be rescued of their memory is saved, then the memory is
 * discarded.
 */
export type Demotion = {
  /** Resolves when it is done or has failed. A failure leaves the memory, and a later pass tries again. */
  demote(row: Sandbox, why: 'time' | 'budget'): Promise<void>
  isDemoting(sandboxId: string): boolean
}

/** Each demotion wakes a whole sandbox: more at the same time would slow down the sandboxes in use. */
const maxConcurrent = 2

export function makeDemotion(dependencies: {
  store: SandboxStore
  host: HostClient
  transition: Transition
  settings: Pick<Settings, 'values'>
  underWay: DemotionsUnderWay
  logger: Logger
  /** True while a wake of the sandbox is in progress or waiting. */
  isWanted: (threadId: string) => boolean
}): Demotion {
  const { store, host, transition, logger } = dependencies
  const { running, begun } = dependencies.underWay
  const limit = pLimit(maxConcurrent)

  const inTurn = async (row: Sandbox, why: 'time' | 'budget') => {
    const present = await store.find(row.thread_id)
    if (present?.state !== 'paused' || present.boot_id !== row.boot_id || dependencies.isWanted(row.thread_id)) return
    begun.add(row.id)
    try {
      await demoteNow(dependencies, present, why)
    } catch (error) {
      logger.warn({ err: error, sandboxId: row.id }, 'memory of a sandbox was not discarded')
      await recordInPlace(store, row.id, { type: 'demotion-failed' })
      if (isThreadboxError(error) && error.code === memoryUnusableCode) {
        await transition(present, endedEvent(present, await host.get(row.id)))
      }
    } finally {
      begun.delete(row.id)
    }
  }
  return {
    demote: (row, why) => running.join(row.id, () => limit(() => inTurn(row, why))),
    isDemoting: (sandboxId) => running.present(sandboxId) !== undefined,
  }
}

async function demoteNow(
  dependencies: Parameters<typeof makeDemotion>[0],
  row: Sandbox,
  why: 'time' | 'budget',
): Promise<void> {
  const { store, host, transition } = dependencies
  // Recorded first, so that after a crash the end of the boot is not taken for an accident.
  await recordInPlace(store, row.id, { type: 'demotion-ordered', reason: why })
  const startedAt = performance.now()
  const { rescue, problem } = await host.demote(row.id, {
    bootId: row.boot_id ?? '',
    budgets: await rescueBudgets(dependencies.settings),
  })
  const rescueJson = rescue === null ? null : JSON.stringify(rescue)
  const figures = { ...figuresOf(rescue), durationMs: Math.round(performance.now() - startedAt) }
  const end = { cause: 'demoted' as const, reason: why, problem, rescueJson, figures }
  await transition(row, { type: 'memory-dropped', end })
}

function figuresOf(rescue: RescueReport | null): { variables: number; processes: number } {
  const variables = rescue?.variables.filter((variable) => variable.outcome === 'kept').length ?? 0
  return { variables, processes: rescue?.processes.length ?? 0 }
}

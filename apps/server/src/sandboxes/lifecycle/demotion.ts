import { isThreadboxError } from '@threadbox/errors'
import type { RescueReport } from '@threadbox/protocol/guest'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Settings } from '../../people/public.ts'
import type { HostClient } from '../host/host-client.ts'
import { memoryUnusableCode } from '../state/bring-awake.ts'
import type { DemotionsUnderWay } from '../state/demotions-under-way.ts'
import type { LifecycleRecorder } from '../state/lifecycle-recorder.ts'
import type { ChangeSandbox } from '../state/sandbox-changes.ts'
import { memoryGone, type StartCause } from '../state/sandbox-rows.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { SandboxRow } from '../state/sandboxes.table.ts'
import { rescueBudgets } from './rescue-budgets.ts'

/** Gives the memory of paused sandboxes up, gracefully, a few at a time. */
export type Demotion = {
  /** Resolves when it is done or has failed; a failure leaves the memory and is tried again at a later look. */
  demote(row: SandboxRow, why: 'time' | 'budget'): Promise<void>
  isDemoting(sandboxId: string): boolean
}

/** Each one wakes a whole sandbox: more at once would take the machine from those who use it. */
const maxAtOnce = 2

export function makeDemotion(dependencies: {
  store: SandboxStore
  host: HostClient
  change: ChangeSandbox
  settings: Pick<Settings, 'values'>
  recorder: LifecycleRecorder
  underWay: DemotionsUnderWay
  logger: Logger
  noteEnd: (row: SandboxRow, actual: HostSandbox | undefined) => Promise<void>
  /** Somebody wants the sandbox at this moment. */
  isWanted: (threadId: string) => boolean
}): Demotion {
  const { store, logger } = dependencies
  const { running, begun } = dependencies.underWay
  const free: (() => void)[] = []

  const inTurn = async (row: SandboxRow, why: 'time' | 'budget') => {
    if (begun.size >= maxAtOnce) await new Promise<void>((resolve) => free.push(resolve))
    const present = await store.find(row.thread_id)
    if (present?.state !== 'paused' || present.boot_id !== row.boot_id || dependencies.isWanted(row.thread_id)) return
    begun.add(row.id)
    try {
      await demoteNow(dependencies, present, why)
    } catch (error) {
      logger.warn({ err: error, sandboxId: row.id }, 'memory of a sandbox was not given up')
      await store.set(row.id, { cause_json: null })
      if (isThreadboxError(error) && error.code === memoryUnusableCode) {
        await dependencies.noteEnd(present, await dependencies.host.get(row.id))
      }
    } finally {
      begun.delete(row.id)
    }
  }
  return {
    demote: (row, why) => {
      const present = running.get(row.id)
      if (present !== undefined) return present
      const work = inTurn(row, why).finally(() => {
        running.delete(row.id)
        free.shift()?.()
      })
      running.set(row.id, work)
      return work
    },
    isDemoting: (sandboxId) => running.has(sandboxId),
  }
}

async function demoteNow(
  dependencies: Parameters<typeof makeDemotion>[0],
  row: SandboxRow,
  why: 'time' | 'budget',
): Promise<void> {
  const { store, host, change, recorder } = dependencies
  const detail = why === 'time' ? 'The time for which it is kept was over.' : 'Its room on the disk was needed.'
  const cause: StartCause = { code: 'memory-given-up', detail, pausedAt: row.paused_at }
  // First, so that a crash after the host is done does not make it look like an accident.
  await store.set(row.id, { cause_json: JSON.stringify(cause) })
  const startedAt = performance.now()
  const demoted = await host.demote(row.id, {
    bootId: row.boot_id ?? '',
    budgets: await rescueBudgets(dependencies.settings),
  })
  const memory = await store.memory(row.id)
  const rescueJson = demoted.rescue === null ? null : JSON.stringify(demoted.rescue)
  await store.setMemory({ sandbox_id: row.id, manifest_json: memory?.manifest_json ?? null, rescue_json: rescueJson })
  const changed = await change(row, {
    event: 'memory-dropped',
    bootId: null,
    detail: { code: 'memory-given-up', params: {} },
    columns: { ...memoryGone, cause_json: JSON.stringify({ ...cause, detail: withProblem(detail, demoted.problem) }) },
  })
  if (changed === undefined) return
  const durationMs = Math.round(performance.now() - startedAt)
  await recorder.record(row.thread_id, { code: 'demoted', params: { ...figuresOf(demoted.rescue), durationMs } })
}

function withProblem(detail: string, problem: string): string {
  return problem === '' ? detail : `${detail} Nothing could be rescued: ${problem}`
}

function figuresOf(rescue: RescueReport | null): { variables: number; processes: number } {
  const variables = rescue?.variables.filter((variable) => variable.outcome === 'kept').length ?? 0
  return { variables, processes: rescue?.processes.length ?? 0 }
}

import type { Logger } from '@threadbox/telemetry'
import { makeNudgedSleep } from '../system/nudged-sleep.ts'
import type { System } from '../system/system.ts'
import type { OperationStore } from './operations.store.ts'
import type { OperationRow } from './operations.table.ts'

/** What carries out one kind of operation. It may be called again after a crash at any point: each step is repeatable. */
export type OperationWorker = (operation: { subjectId: string; json: string }) => Promise<void>

/**
 * Long work that survives a crash. A planned operation is a row; a worker takes it when it is due, and the row goes
 * when the work is done. What fails is tried again, later each time, until it succeeds.
 */
export type Operations = {
  /** Plans the work once per subject: planning again moves an operation that has not begun. */
  plan(operation: { kind: string; subjectId: string; dueAt: number; json?: string }): Promise<void>
  /** Takes back what has not begun. False when it has, or was never planned. */
  withdraw(kind: string, subjectId: string): Promise<boolean>
  isPlanned(kind: string, subjectId: string): Promise<boolean>
  /** When it is or was to begin; undefined: it is not planned. */
  dueAt(kind: string, subjectId: string): Promise<number | undefined>
  register(kind: string, worker: OperationWorker): void
  /** Begins to work: first on what a crash left behind, then on what becomes due. */
  start(): void
  /** Waits for the work in hand and takes no more. */
  stop(): Promise<void>
}

/** Waits after failures: a second at first, at most five minutes, for as long as it takes. */
const retryDelaysMs = [1000, 5000, 15_000, 60_000, 300_000]
/** The longest sleep: a clock that was set back, or a row of another server, is noticed within this time. */
const maxSleepMs = 30_000

export function makeOperations(options: { store: OperationStore; system: System; logger: Logger }): Operations {
  const { store, system, logger } = options
  const workers = new Map<string, OperationWorker>()
  const stopped = new AbortController()
  const rest = makeNudgedSleep()
  let loop: Promise<void> = Promise.resolve()

  const run = async (row: OperationRow) => {
    const worker = workers.get(row.kind)
    if (worker === undefined || !(await store.begin(row.id))) return
    try {
      await worker({ subjectId: row.subject_id, json: row.json })
      await store.remove(row.id)
    } catch (error) {
      logger.error({ err: error, kind: row.kind, subject: row.subject_id }, 'operation failed, will be tried again')
      const delay = retryDelaysMs[Math.min(row.attempts, retryDelaysMs.length - 1)] ?? 0
      await store.postpone(row.id, { dueAt: system.now() + delay, error: String(error) })
    }
  }
  const workOnce = async () => {
    const due = (await store.due(system.now())).filter((row) => workers.has(row.kind))
    for (const row of due) {
      if (stopped.signal.aborted) return 0
      await run(row)
    }
    const next = due.length > 0 ? 0 : await store.nextDueAt([...workers.keys()])
    return Math.min(maxSleepMs, Math.max(0, (next ?? Number.MAX_SAFE_INTEGER) - system.now()))
  }
  const work = async () => {
    while (!stopped.signal.aborted) {
      rest.begin()
      const delay = await workOnce().catch((error: unknown) => {
        logger.error({ err: error }, 'operations could not be read, will be tried again')
        return retryDelaysMs[0] ?? maxSleepMs
      })
      if (!rest.hasNews) await rest.sleep(delay)
    }
  }
  return {
    plan: async (operation) => {
      await store.put({ ...operation, id: system.newId('operation'), createdAt: system.now() })
      rest.nudge()
    },
    withdraw: (kind, subjectId) => store.withdraw(kind, subjectId),
    isPlanned: (kind, subjectId) => store.exists(kind, subjectId),
    dueAt: (kind, subjectId) => store.dueAt(kind, subjectId),
    register: (kind, worker) => {
      workers.set(kind, worker)
    },
    start: () => {
      loop = work()
    },
    stop: async () => {
      stopped.abort()
      rest.nudge()
      await loop
    },
  }
}

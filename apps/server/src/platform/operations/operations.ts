import { delaysOf, makeDueLoop } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../system/system.ts'
import type { OperationStore } from './operations.store.ts'
import type { OperationRow } from './operations.table.ts'

/** Carries out one kind of operation. It can be called again after a crash at any point: each step is repeatable. */
export type OperationWorker = (operation: { subjectId: string; json: string }) => Promise<void>

/**
 * Long work that survives a crash. A planned operation is a row; a worker runs it when it is due, and the row is
 * deleted when the work is done. Failed work is retried with growing delays until it succeeds.
 */
export type Operations = {
  /** Plans the work once per subject: planning again moves an operation that hasn't started. */
  plan(operation: { kind: string; subjectId: string; dueAt: number; json?: string }): Promise<void>
  /** Withdraws an operation that hasn't started. Returns false if it has, or was never planned. */
  withdraw(kind: string, subjectId: string): Promise<boolean>
  isPlanned(kind: string, subjectId: string): Promise<boolean>
  counts: OperationStore['counts']
  /** The time when it starts or was to start; undefined when it isn't planned. */
  dueAt(kind: string, subjectId: string): Promise<number | undefined>
  /** Throws after the start, because operations of that kind could have been skipped. */
  register(kind: string, worker: OperationWorker): void
  /** Starts the work: first on operations that a crash left behind, then on those that become due. */
  start(): void
  /** Waits for running work and starts no further operation. */
  stop(): Promise<void>
}

/** Delays after failures: a second at first, up to 5 minutes, without a limit of retries. */
const retryDelayMs = delaysOf([1000, 5000, 15_000, 60_000, 300_000])
/** The delay after the operations themselves couldn't be read. */
const readRetryMs = 1000
/** The longest sleep: a clock that was set back, or a row of another server, is noticed within this time. */
const maxSleepMs = 30_000

export function makeOperations(options: { store: OperationStore; system: System; logger: Logger }): Operations {
  const { store, system, logger } = options
  const workers = new Map<string, OperationWorker>()
  const stopped = new AbortController()
  let hasStarted = false

  const run = async (row: OperationRow) => {
    const worker = workers.get(row.kind)
    if (worker === undefined || !(await store.begin(row.id))) return
    try {
      await worker({ subjectId: row.subject_id, json: row.json })
      await store.remove(row.id)
    } catch (error) {
      logger.error({ err: error, kind: row.kind, subject: row.subject_id }, 'operation failed, will be tried again')
      await store.postpone(row.id, { dueAt: system.now() + retryDelayMs(row.attempts), error: String(error) })
    }
  }
  const loop = makeDueLoop({
    check: async () => {
      const due = (await store.due(system.now())).filter((row) => workers.has(row.kind))
      for (const row of due) {
        if (stopped.signal.aborted) return undefined
        await run(row)
      }
      // After work, operations that became due in the meantime are read immediately.
      return due.length > 0 ? system.now() : await store.nextDueAt([...workers.keys()])
    },
    now: system.now,
    minMs: 0,
    maxMs: maxSleepMs,
    retryMs: readRetryMs,
    failed: (error) => logger.error({ err: error }, 'operations could not be read, will be tried again'),
  })
  return {
    plan: async (operation) => {
      await store.put({ ...operation, id: system.newId('operation'), createdAt: system.now() })
      loop.nudge()
    },
    withdraw: (kind, subjectId) => store.withdraw(kind, subjectId),
    counts: store.counts,
    isPlanned: (kind, subjectId) => store.exists(kind, subjectId),
    dueAt: (kind, subjectId) => store.dueAt(kind, subjectId),
    register: (kind, worker) => {
      if (hasStarted) throw new Error(`operations of the kind ${kind} were registered after the start`)
      workers.set(kind, worker)
    },
    start: () => {
      hasStarted = true
      loop.start()
    },
    stop: async () => {
      stopped.abort()
      await loop.stop()
    },
  }
}

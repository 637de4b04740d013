import type { Manifest } from '@threadbox/protocol/guest'
import type { RewindSandbox, RewoundSandbox } from '@threadbox/protocol/host'
import type { NoticeEntry, RewindPreview, RewoundThread } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import {
  type ExchangeCause,
  type HostClient,
  isUnanswered,
  type SurvivalReports,
  storableManifest,
  type WakeFacts,
} from '../../sandboxes/public.ts'
import type { LogTransaction, ThreadLog } from '../../threads/public.ts'
import type { Snapshots, TurnHistory, Turns } from '../../turns/public.ts'
import { planRewind, type RewindPlan } from './rewind-plan.ts'
import { type PreviewDependencies, previewRewind, runningAtTarget, runsNow } from './rewind-preview.ts'
import type { RewindSandboxes } from './rewind-sandboxes.ts'
import { rewindNotUndoable, rewindSnapshotGone, rewindTurnRunning, rewindUnderWay } from './rewinds.errors.ts'
import type { RewindStore } from './rewinds.store.ts'
import type { RewindRow } from './rewinds.table.ts'
import { readUndone, removeUndone, restoreUndone, type UndoneConversation } from './undone-conversation.ts'

/** Rewinds threads to before a message. The caller has checked that the user may access the thread. */
export type Rewinds = {
  /** Returns what a rewind would undo; changes nothing. Throws `rewind.message-not-found`. */
  preview(threadId: string, entryId: string): Promise<RewindPreview>
  rewind(threadId: string, entryId: string): Promise<RewoundThread>
  /** Restores what a rewind undid. Throws `rewind.not-undoable`. */
  undo(threadId: string, rewindId: string): Promise<void>
  /** Called at start and when the host is reachable again: finishes rewinds that are in progress or being undone. */
  recover(): Promise<void>
}

export type RewindsDependencies = PreviewDependencies & {
  store: RewindStore
  log: ThreadLog
  history: TurnHistory
  host: Pick<HostClient, 'removeSnapshot' | 'snapshotChanges'>
  snapshots: Pick<Snapshots, 'afterTurns' | 'runningStateAt' | 'settled' | 'keep' | 'isKept' | 'memoryOrder'>
  sandboxes: RewindSandboxes
  reports: Pick<SurvivalReports, 'reportWake'>
  turns: Pick<Turns, 'whileQuiet'>
  operations: Pick<Operations, 'plan' | 'register'>
  isFromAgent: (threadId: string) => Promise<boolean>
  system: System
  logger: Logger
}

type RewindKey = Pick<RewindRow, 'id' | 'thread_id'>

const finishRewindOperation = 'finish-rewind'

export function makeRewinds(dependencies: RewindsDependencies): Rewinds {
  const { store, snapshots, system, logger } = dependencies
  const whileQuiet = <Value>(threadId: string, work: () => Promise<Value>) =>
    dependencies.turns.whileQuiet(threadId, { work, refusal: () => rewindTurnRunning({}) })
  const refuseWhileUnderWay = async (threadId: string) => {
    const newest = await store.newest(threadId)
    if (newest !== undefined && newest.state !== 'done') throw rewindUnderWay({})
    return newest
  }
  /** Schedules retries if `work` fails and leaves the rewind unfinished. `keepId` identifies the attempt. */
  const orLater = async ({ row, keepId }: { row: RewindKey; keepId: string }, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (await isUnfinished(dependencies, row)) {
        const json = JSON.stringify({ id: row.id, thread_id: row.thread_id })
        const operation = { kind: finishRewindOperation, subjectId: keepId, json }
        await dependencies.operations.plan({ ...operation, dueAt: system.now() })
      }
      throw error
    }
  }
  const finishQuietly = (row: RewindKey) => whileQuiet(row.thread_id, () => finish(dependencies, row))
  dependencies.operations.register(finishRewindOperation, ({ json }) => finishQuietly(JSON.parse(json) as RewindKey))
  return {
    preview: async (threadId, entryId) => {
      const newest = await store.newest(threadId)
      const plan = await planRewind(dependencies, { threadId, entryId })
      return await previewRewind(dependencies, { plan, isUnderWay: newest !== undefined && newest.state !== 'done' })
    },
    rewind: (threadId, entryId) =>
      whileQuiet(threadId, async () => {
        await refuseWhileUnderWay(threadId)
        await snapshots.settled(threadId)
        const plan = await planRewind(dependencies, { threadId, entryId })
        if (plan.disk.to === 'gone') throw rewindSnapshotGone({})
        const [present, earlier] = await Promise.all([
          runsNow(dependencies, plan.disk),
          runningAtTarget(dependencies, plan),
        ])
        const row = newRow(system, plan, { present, earlier })
        await store.insert(row)
        await orLater({ row, keepId: row.keep_id }, () => carryOut(dependencies, { ...row, position: 0 }))
        logger.info({ threadId, turns: plan.undone.length, disk: plan.disk.to }, 'thread rewound')
        return { rewindId: row.id }
      }),
    undo: (threadId, rewindId) =>
      whileQuiet(threadId, async () => {
        const newest = await refuseWhileUnderWay(threadId)
        if (newest?.id !== rewindId || !(await isUndoable(dependencies, newest))) throw rewindNotUndoable({})
        await snapshots.settled(threadId)
        const ids = { undo_keep_id: system.newId('snapshot'), undo_boot_id: system.newId('boot') }
        const row = { ...newest, state: 'undoing' as const, ...ids }
        await store.change(row.id, { state: row.state, ...ids })
        await orLater({ row, keepId: row.undo_keep_id }, () => carryOutUndo(dependencies, row))
        logger.info({ threadId, rewindId }, 'rewind undone')
      }),
    recover: async () => {
      for (const row of await store.unfinished()) {
        await finishQuietly(row).catch((error: unknown) => {
          logger.warn({ err: error, threadId: row.thread_id }, 'a rewind could not be finished yet')
        })
      }
    },
  }
}

function newRow(
  system: System,
  plan: RewindPlan,
  ran: { present: Manifest | null; earlier: Manifest | null },
): Omit<RewindRow, 'position'> {
  const { turn, disk, lastTurnId } = plan
  return {
    id: system.newId('operation'),
    thread_id: turn.threadId,
    state: 'begun',
    at: system.now(),
    ordinal: turn.ordinal,
    last_turn_id: lastTurnId,
    notice_entry_id: system.newId('entry'),
    sandbox_id: disk.to === 'none' ? null : disk.sandbox.id,
    target_id: disk.to === 'snapshot' ? disk.snapshotId : null,
    keep_id: system.newId('snapshot'),
    undo_keep_id: null,
    kept_id: null,
    undone_json: null,
    boot_id: system.newId('boot'),
    undo_boot_id: null,
    came_back: null,
    then_json: ran.earlier && storableManifest(ran.earlier),
    present_json: ran.present && storableManifest(ran.present),
  }
}

/**
 * Changes the disk first, then the conversation together with the record that the rewind is done. After a crash it runs
 * again from any point.
 */
async function carryOut(dependencies: RewindsDependencies, row: RewindRow): Promise<void> {
  const { store, system } = dependencies
  const { target_id: snapshotId, keep_id: keepId, boot_id: bootId } = row
  const made = await exchange(dependencies, row, {
    snapshotId,
    keepId,
    bootId,
    manifestJson: row.then_json,
    cause: 'rewound',
  })
  const undone = await readUndone(dependencies, { threadId: row.thread_id, ordinal: row.ordinal })
  const params = {
    rewindId: row.id,
    turns: undone.turns.length,
    disk: made === null ? 'none' : 'kept',
    memory: made?.from === 'memory' ? 'kept' : 'gone',
  }
  const turnId = row.last_turn_id ?? system.newId('turn')
  const notice: NoticeEntry = {
    id: row.notice_entry_id,
    turnId,
    at: row.at,
    kind: 'notice',
    code: 'rewound',
    params,
  }
  const columns = {
    state: 'done' as const,
    kept_id: made?.kept.snapshotId ?? null,
    came_back: made?.from ?? ('disk' as const),
    undone_json: JSON.stringify(undone),
  }
  await removeUndone(dependencies, {
    row,
    undone,
    notice,
    alongside: async (transaction) => {
      await store.change(row.id, columns, transaction)
      await noteWithMemory(dependencies, { row, made, begunAt: row.at, cause: 'rewound' }, transaction)
    },
  })
  await report(dependencies, row)
}

/** The due report is recorded: if writing fails now, the report is written at the next use of the sandbox. */
async function report({ reports, logger }: RewindsDependencies, { thread_id: threadId }: RewindRow): Promise<void> {
  await reports.reportWake(threadId).catch((error: unknown) => {
    logger.warn({ err: error, threadId }, 'the report of a rewind was not written yet')
  })
}

/** With memory a report is due as after a wake; it is written once the conversation has the notice. */
async function noteWithMemory(
  { sandboxes, system }: RewindsDependencies,
  noted: { row: RewindRow; made: RewoundSandbox | null; begunAt: number; cause: ExchangeCause },
  transaction: LogTransaction,
): Promise<void> {
  const { row, made, begunAt, cause } = noted
  const bootId = made?.sandbox.bootId ?? null
  if (row.sandbox_id === null || made?.from !== 'memory' || bootId === null) return
  const now = system.now()
  const facts: WakeFacts = {
    reportId: system.newId('report'),
    entryId: system.newId('entry'),
    bootId,
    from: 'memory',
    cause: { code: cause, detail: '' },
    pausedAt: null,
    wokenAt: now,
    wakeMs: now - begunAt,
  }
  await sandboxes.noteWake(row.sandbox_id, facts, transaction)
}

async function carryOutUndo(dependencies: RewindsDependencies, row: RewindRow): Promise<void> {
  const { store } = dependencies
  const begunAt = dependencies.system.now()
  const { kept_id: snapshotId, undo_boot_id: bootId } = row
  const keepId = row.undo_keep_id ?? row.keep_id
  const order = { snapshotId, keepId, bootId, manifestJson: row.present_json, cause: 'rewind-undone' as const }
  const made = await exchange(dependencies, row, order)
  const undone = JSON.parse(row.undone_json ?? 'null') as UndoneConversation
  await restoreUndone(dependencies, {
    row,
    undone,
    alongside: async (transaction) => {
      await store.remove(row.id, transaction)
      await noteWithMemory(dependencies, { row, made, begunAt, cause: order.cause }, transaction)
    },
  })
  await report(dependencies, row)
}

/** Null: the thread had no disk. If the host rejects the order, nothing has changed, and the rewind is discarded. */
async function exchange(
  dependencies: RewindsDependencies,
  row: RewindRow,
  order: Omit<RewindSandbox, 'memory'> & { manifestJson: string | null; cause: ExchangeCause },
): Promise<RewoundSandbox | null> {
  const { thread_id: threadId, sandbox_id: sandboxId } = row
  if (sandboxId === null) return null
  const memory = await dependencies.snapshots.memoryOrder()
  const made = await dependencies.sandboxes
    .rewind({ threadId, sandboxId, memory, ...order })
    .catch(async (error: unknown) => {
      if (!isUnanswered(error)) await discardRewind(dependencies, row, order.keepId)
      throw error
    })
  await dependencies.snapshots.keep({ threadId, sandboxId, kept: made.kept })
  return made
}

/** Throws while the outcome is unknown. */
async function finish(dependencies: RewindsDependencies, { id, thread_id }: RewindKey): Promise<void> {
  const { store, logger } = dependencies
  const row = await store.find(thread_id, id)
  try {
    if (row?.state === 'begun') await carryOut(dependencies, row)
    if (row?.state === 'undoing') await carryOutUndo(dependencies, row)
  } catch (error) {
    if (await isUnfinished(dependencies, { id, thread_id })) throw error
    logger.warn({ err: error, threadId: thread_id }, 'the host refused a rewind that was begun before')
  }
}

async function isUnfinished({ store }: RewindsDependencies, { id, thread_id }: RewindKey): Promise<boolean> {
  const row = await store.find(thread_id, id)
  return row !== undefined && row.state !== 'done'
}

async function discardRewind(
  { store, host, logger }: RewindsDependencies,
  row: RewindRow,
  keepId: string,
): Promise<void> {
  const { id, sandbox_id: sandboxId } = row
  if (row.state === 'begun') await store.remove(id)
  else await store.change(id, { state: 'done', undo_keep_id: null })
  if (sandboxId === null) return
  await host.removeSnapshot(sandboxId, keepId).catch((error: unknown) => {
    logger.warn({ err: error, sandboxId }, 'a snapshot of a rewind that was refused is still there')
  })
}

/** A rewind can be undone if the disk is the same, what was undone is kept, and no message was sent since. */
async function isUndoable(
  { history, log, snapshots, sandboxes }: RewindsDependencies,
  row: RewindRow,
): Promise<boolean> {
  const last = await history.lastTurn(row.thread_id)
  if ((last?.id ?? null) !== row.last_turn_id) return false
  const view = last && (await log.turn(row.thread_id, last.id))
  // A failed turn can be retried as the same turn.
  if (view !== undefined && (view.endedAt === null || view.endedAt > row.at)) return false
  const sandbox = await sandboxes.find(row.thread_id)
  // A disk created after the rewind would stay unchanged.
  if (row.sandbox_id === null) return true
  return sandbox?.id === row.sandbox_id && row.kept_id !== null && (await snapshots.isKept(row.thread_id, row.kept_id))
}

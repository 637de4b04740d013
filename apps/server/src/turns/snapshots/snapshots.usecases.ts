import { makeBackground, makeKeyedLock } from '@threadbox/concurrency'
import {
  chooseMemoryRemovals,
  chooseSnapshotRemovals,
  type MemorySnapshotLimits,
  maxMemorySnapshotBytes,
  type SnapshotLimits,
} from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import type { Manifest } from '@threadbox/protocol/guest'
import type { HostSnapshot, SnapshotMemoryOrder, TakenSnapshot } from '@threadbox/protocol/host'
import type { ThreadSnapshots } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { SettingValues } from '../../people/public.ts'
import type { System } from '../../platform/system/system.ts'
import { type HostClient, manifestToKeep, readManifest, type Sandbox } from '../../sandboxes/public.ts'
import type { LogTransaction } from '../../threads/public.ts'
import type { TurnHistory } from '../record/turn-history.ts'
import { makeQuietWaits, type QuietWaits } from './quiet-waits.ts'
import { snapshotNotFound } from './snapshots.errors.ts'
import { presentSnapshots } from './snapshots.presenter.ts'
import type { SnapshotStore } from './snapshots.store.ts'
import type { TurnSnapshotRow } from './snapshots.table.ts'

/** What the disk of a thread contained at the end of each answer. */
export type Snapshots = {
  /** Records, in the transaction that ends a turn, that its snapshot is to be taken. */
  want(turn: { id: string; threadId: string }, transaction: LogTransaction): Promise<void>
  /** Takes what is wanted of the thread. Call it as soon as the turn has ended; it never fails. */
  turnEnded(threadId: string): Promise<void>
  /**
   * Resolves when no snapshot of the thread is being taken: what changes the disk next waits for that. One that is put off
   * until the thread was left alone is taken now, without memory, which takes longer.
   */
  settled(threadId: string): Promise<void>
  /** At start, and when the host can be reached again: takes what a crash or an absent host left to be taken. */
  recover(): Promise<void>
  list(threadId: string): Promise<ThreadSnapshots>
  /** The snapshot with what the disk contained after these turns, the newest of which has one; undefined when it is not kept. */
  afterTurns(threadId: string, turnIds: readonly string[]): Promise<SnapshotOfThen | undefined>
  /**
   * What ran at the end of the last of these turns, as it was written down then; null when nobody did. Where there is
   * memory, it is what the memory has.
   */
  ranThen(snapshot: SnapshotOfThen, turnIds: readonly string[]): Promise<Manifest | null>
  /** Whether memory is to be kept of a moment that a rewind leaves. */
  memoryOrder(): Promise<SnapshotMemoryOrder>
  /** Takes note of a snapshot that was made of what a rewind undid. */
  keep(snapshot: { threadId: string; sandboxId: string; kept: HostSnapshot }): Promise<void>
  /** Whether a snapshot is still there, as far as the records know. */
  isKept(threadId: string, snapshotId: string): Promise<boolean>
  /** Throws `snapshot.not-found`. */
  remove(threadId: string, snapshotId: string): Promise<void>
  /** Keeps to limits that were changed. */
  trim(): Promise<void>
  /** Resolves when nothing is being taken or removed; nothing is put off any more. */
  idle(): Promise<void>
}

export type SnapshotOfThen = { id: string; at: number; hasMemory: boolean }

export type SnapshotsDependencies = {
  store: SnapshotStore
  host: Pick<HostClient, 'takeSnapshot' | 'snapshots' | 'removeSnapshot' | 'removeSnapshotMemory'>
  sandboxOf: (threadId: string) => Promise<Sandbox | undefined>
  /** `turnIds`: of the turns that are in the conversation; others were undone. */
  record: Pick<TurnHistory, 'turnIds' | 'turn'>
  /** What runs in a sandbox now; null when nobody can say in time. */
  whatRuns: (sandbox: Sandbox, signal: AbortSignal) => Promise<Manifest | null>
  /** The turn that runs now. */
  runningTurn: (threadId: string) => Promise<string | undefined>
  settings: () => Promise<SettingValues>
  /** How long a guest may take to say what runs. */
  glanceMs?: number | undefined
  system: System
  logger: Logger
}

const MiB = 1024 * 1024
/** Codes with which a host says that there is no disk: then there is nothing that a turn could have changed. */
const noDiskCodes = ['sandbox.not-found', 'sandbox.deleting', 'disk.not-found']
const fullCode = 'disk.no-room-for-snapshot'
/** A glance takes some milliseconds, on a busy machine more; whoever wants to go on does not wait for it. */
const usualGlanceMs = 2000
const unreachableCodes = ['host.unreachable', 'host.preparing']

export function makeSnapshots(dependencies: SnapshotsDependencies): Snapshots {
  const { store, system, logger } = dependencies
  const oneAtATime = makeKeyedLock()
  /** Only what takes snapshots: calls of the next turn wait for it, and not for removals. */
  const taking = makeKeyedLock()
  const quiet = makeQuietWaits()
  const background = makeBackground<{ threadId: string }>((error, { threadId }) =>
    logger.warn({ err: error, threadId }, 'no snapshot was taken of the disk after a turn'),
  )
  const trim = (diskShares?: ReadonlyMap<string, number>) =>
    oneAtATime('trim', () => trimAll(dependencies, diskShares)).catch((error: unknown) => {
      logger.warn({ err: error }, 'snapshots beyond the limits were not removed')
    })
  const takeWanted = async (threadId: string) => {
    const wanted = (await store.turns(threadId)).filter(({ state }) => state === 'wanted')
    for (const turn of wanted.slice(0, -1)) await store.settle(turn, { state: 'missed', problem: null })
    const turn = wanted.at(-1)
    if (turn === undefined) return undefined
    return await takeOne(dependencies, { turn, quiet })
  }
  const turnEnded = (threadId: string) => {
    const take = () => oneAtATime(threadId, () => takeWanted(threadId))
    const work = taking(threadId, take).then(async (snapshot) => {
      if (snapshot !== undefined) await trim(new Map([[threadId, snapshot.usedBytes / snapshot.limitBytes]]))
    })
    return background.keep(work, { threadId })
  }
  return {
    want: async (turn, transaction) => {
      const row = {
        turn_id: turn.id,
        thread_id: turn.threadId,
        at: system.now(),
        snapshot_id: system.newId('snapshot'),
      }
      await store.want(row, transaction)
    },
    turnEnded,
    settled: async (threadId) => {
      using _ = quiet.want(threadId)
      await taking.settled(threadId)
    },
    recover: async () => {
      for (const turn of await store.wanted()) {
        // What is on the disk now may belong to that turn already.
        const running = await dependencies.runningTurn(turn.thread_id)
        if (running === undefined) await turnEnded(turn.thread_id)
        else await store.settle(turn, { state: 'missed', problem: null })
      }
    },
    list: (threadId) => listSnapshots(dependencies, threadId),
    afterTurns: async (threadId, turnIds) => {
      const wanted = new Set(turnIds)
      const { snapshots } = await listSnapshots(dependencies, threadId)
      const newest = snapshots.find(({ turnId }) => wanted.has(turnId))
      if (newest === undefined || newest.id === null) return undefined
      return { id: newest.id, at: newest.at, hasMemory: newest.memoryBytes !== null }
    },
    ranThen: async ({ id, hasMemory }, turnIds) => {
      const rows = await store.manifests(id)
      // Files may be shared with an earlier answer; what ran at the end of that one is not what ran at the end of this one.
      const row = hasMemory ? rows[0] : rows.find(({ turn_id }) => turn_id === turnIds.at(-1))
      return readManifest(row?.json ?? null)
    },
    memoryOrder: async () => memoryOrderIn(await dependencies.settings()),
    keep: async ({ threadId, sandboxId, kept }) => {
      const { snapshotId: id, at, writtenBytes } = kept
      const row = { id, thread_id: threadId, sandbox_id: sandboxId, at, written_bytes: writtenBytes }
      await store.add({ ...row, memory_bytes: kept.memoryBytes })
      await trim()
    },
    isKept: async (threadId, snapshotId) => (await store.find(threadId, snapshotId)) !== undefined,
    remove: (threadId, snapshotId) =>
      oneAtATime(threadId, async () => {
        const snapshot = await store.find(threadId, snapshotId)
        if (snapshot === undefined) throw snapshotNotFound({})
        await removeSnapshot(dependencies, { id: snapshotId, threadId })
      }),
    trim: () => trim(),
    idle: async () => {
      using _ = quiet.hurry()
      await background.settled()
    },
  }
}

/** Undefined: nothing was taken, and the record says why. An absent host leaves the wish for later. */
async function takeOne(
  dependencies: SnapshotsDependencies,
  { turn, quiet }: { turn: TurnSnapshotRow; quiet: QuietWaits },
): Promise<TakenSnapshot | undefined> {
  const { store, logger } = dependencies
  const { thread_id: threadId, turn_id: turnId } = turn
  const sandbox = await dependencies.sandboxOf(threadId)
  const values = await dependencies.settings()
  const { perThread } = limitsIn(values)
  if (sandbox === undefined || sandbox.state === 'fresh' || perThread === 0) return void (await store.forgetTurn(turn))
  try {
    const wanted = (await usedSandbox(dependencies, turnId)) ? memoryOrderIn(values) : null
    const delayMs = wanted === null ? 0 : values.memorySnapshotQuietSeconds * 1000
    const look = () => inTime(dependencies, { sandbox, threadId, quiet })
    const atOnce = look()
    const isHurried = (await quiet.wait(threadId, delayMs)) === 'wanted'
    const glance = isHurried || delayMs === 0 ? atOnce : look()
    // Memory has what is written down with it; files alone are not waited for.
    if (wanted !== null && !isHurried) await glance
    const isLate = isHurried || (delayMs > 0 && quiet.isWanted(threadId))
    const memory = isLate ? null : wanted
    const order = { snapshotId: turn.snapshot_id, memory }
    const taken = await takeWithRoom(dependencies, { sandboxId: sandbox.id, threadId, order })
    const { snapshotId: id, at, writtenBytes, memoryBytes } = taken.snapshot
    const manifest = await glance
    await store.removeOthers(threadId, sandbox.id)
    const row = {
      id,
      thread_id: threadId,
      sandbox_id: sandbox.id,
      at,
      written_bytes: writtenBytes,
      memory_bytes: memoryBytes,
    }
    await store.taken(turn, row, { memory_problem: isLate ? 'not-quiet' : taken.memoryProblem })
    // Memory that is shared is of an earlier moment, and so is what ran in it.
    const json = manifest !== null && (taken.isNew || memoryBytes === null) ? manifestToKeep(manifest) : null
    if (json !== null) await store.keepManifest(turn, id, json)
    return taken
  } catch (error) {
    const code = isThreadboxError(error) ? error.code : 'internal'
    if (unreachableCodes.includes(code)) return undefined
    if (noDiskCodes.includes(code)) return void (await store.forgetTurn(turn))
    logger.warn({ err: error, threadId, turnId }, 'the snapshot of a turn could not be taken')
    await store.settle(turn, { state: 'failed', problem: code })
    return undefined
  }
}

/** What runs now, unless somebody wants to go on with the thread before it is known: then nobody waits for it. */
async function inTime(
  dependencies: SnapshotsDependencies,
  { sandbox, threadId, quiet }: { sandbox: Sandbox; threadId: string; quiet: QuietWaits },
): Promise<Manifest | null> {
  const { glanceMs = usualGlanceMs } = dependencies
  const wanted = new AbortController()
  const signal = AbortSignal.any([wanted.signal, AbortSignal.timeout(glanceMs)])
  const found = dependencies.whatRuns(sandbox, signal)
  const gone = quiet.wait(threadId, glanceMs).then(async (end) => (end === 'quiet' ? await found : null))
  try {
    return await Promise.race([found, gone])
  } finally {
    wanted.abort()
  }
}

type SnapshotOrder = { snapshotId: string; memory: SnapshotMemoryOrder }

/** A disk that is full gives up its earlier snapshots for the newest. */
async function takeWithRoom(
  dependencies: SnapshotsDependencies,
  { sandboxId, threadId, order }: { sandboxId: string; threadId: string; order: SnapshotOrder },
): Promise<TakenSnapshot> {
  const { host, store } = dependencies
  try {
    return await host.takeSnapshot(sandboxId, order)
  } catch (error) {
    const earlier = (await store.all()).filter((snapshot) => snapshot.thread_id === threadId)
    if (!isThreadboxError(error) || error.code !== fullCode || earlier.length === 0) throw error
    for (const { id } of earlier) await removeSnapshot(dependencies, { id, threadId })
    return await host.takeSnapshot(sandboxId, order)
  }
}

/** Host first: a row without a snapshot can be removed again, a snapshot without a row would belong to nobody. */
async function removeSnapshot(
  { host, store, sandboxOf }: SnapshotsDependencies,
  { id, threadId }: { id: string; threadId: string },
): Promise<void> {
  const sandbox = await sandboxOf(threadId)
  if (sandbox !== undefined) await host.removeSnapshot(sandbox.id, id)
  await store.remove(id)
}

async function trimAll(
  dependencies: SnapshotsDependencies,
  diskShares: ReadonlyMap<string, number> | undefined,
): Promise<void> {
  const snapshots = (await dependencies.store.all()).map((row) => ({
    id: row.id,
    threadId: row.thread_id,
    writtenBytes: row.written_bytes,
  }))
  const values = await dependencies.settings()
  const limits = limitsIn(values)
  const removals = chooseSnapshotRemovals({ snapshots, limits, ...(diskShares === undefined ? {} : { diskShares }) })
  for (const removal of removals) await removeSnapshot(dependencies, removal)
  const memories = (await dependencies.store.all()).flatMap(({ id, thread_id: threadId, memory_bytes: memoryBytes }) =>
    memoryBytes === null ? [] : [{ id, threadId, memoryBytes }],
  )
  const given = chooseMemoryRemovals({ memories, limits: memoryLimitsIn(values) })
  for (const removal of given) await removeMemory(dependencies, removal)
}

/** Host first, as with a whole snapshot. */
async function removeMemory(
  { host, store, sandboxOf }: SnapshotsDependencies,
  { id, threadId }: { id: string; threadId: string },
): Promise<void> {
  const sandbox = await sandboxOf(threadId)
  if (sandbox !== undefined) await host.removeSnapshotMemory(sandbox.id, id)
  await store.removeMemory(id)
}

async function listSnapshots(dependencies: SnapshotsDependencies, threadId: string): Promise<ThreadSnapshots> {
  const { store, host } = dependencies
  const sandbox = await dependencies.sandboxOf(threadId)
  const hasDisk = sandbox !== undefined && sandbox.state !== 'fresh'
  // The host is asked last, so that what the records have is there for it too, unless it was removed meanwhile.
  const [all, snapshots] = [await store.turns(threadId), await store.all()]
  const inConversation = new Set(await dependencies.record.turnIds(threadId))
  const turns = all.filter((turn) => inConversation.has(turn.turn_id))
  const measured = hasDisk ? await host.snapshots(sandbox.id).catch(() => undefined) : undefined
  const values = await dependencies.settings()
  return presentSnapshots({
    threadId,
    turns,
    snapshots,
    sandboxId: sandbox?.id,
    disk: measured,
    limits: limitsIn(values),
    memoryLimits: memoryLimitsIn(values),
  })
}

function limitsIn(values: SettingValues): SnapshotLimits {
  return {
    perThread: values.snapshotsPerThread,
    bytesPerThread: values.snapshotMebibytesPerThread * MiB,
    bytes: values.snapshotMebibytes * MiB,
  }
}

function memoryLimitsIn(values: SettingValues): MemorySnapshotLimits {
  return { perThread: values.memorySnapshotsPerThread, bytes: values.memorySnapshotMebibytes * MiB }
}

function memoryOrderIn(values: SettingValues): SnapshotMemoryOrder {
  const limits = memoryLimitsIn(values)
  return limits.perThread === 0 ? null : { maxBytes: maxMemorySnapshotBytes(limits) }
}

/** Whether a call of the turn was made in the sandbox, which may have changed what runs there. */
async function usedSandbox({ record }: SnapshotsDependencies, turnId: string): Promise<boolean> {
  const turn = await record.turn(turnId)
  return turn?.steps.some(({ calls }) => calls.some(({ bootId }) => bootId !== null)) ?? false
}

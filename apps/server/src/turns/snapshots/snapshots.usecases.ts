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
import { type HostClient, readManifest, type Sandbox, storableManifest } from '../../sandboxes/public.ts'
import type { LogTransaction } from '../../threads/public.ts'
import type { TurnHistory } from '../record/turn-history.ts'
import { makeQuietWaits, type QuietWaits } from './quiet-waits.ts'
import { snapshotNotFound } from './snapshots.errors.ts'
import { presentSnapshots } from './snapshots.presenter.ts'
import type { SnapshotStore } from './snapshots.store.ts'
import type { TurnSnapshotRow } from './snapshots.table.ts'

/** Snapshots of a thread's disk at the end of each turn. */
export type Snapshots = {
  /** Records, in the transaction that ends a turn, that its snapshot is to be taken. */
  want(turn: { id: string; threadId: string }, transaction: LogTransaction): Promise<void>
  /** Takes the thread's pending snapshots. Call it as soon as the turn has ended. Never throws. */
  turnEnded(threadId: string): Promise<void>
  /**
   * Resolves when no snapshot of the thread is being taken: call it before changing the disk. A snapshot that was
   * deferred until the thread is idle is taken now, without memory, because that takes longer.
   */
  settled(threadId: string): Promise<void>
  /**
   * Takes the snapshots that a crash or an unreachable host left pending. Call it at start and when the host is
   * reachable again.
   */
  recover(): Promise<void>
  list(threadId: string): Promise<ThreadSnapshots>
  /**
   * The newest snapshot of one of these turns, which has what the disk contained after them; undefined when it isn't
   * kept.
   */
  afterTurns(threadId: string, turnIds: readonly string[]): Promise<TurnSnapshotRef | undefined>
  /**
   * What ran at the end of the last of these turns, as recorded at that time; null when nothing was recorded. For a
   * snapshot with memory, what the memory contains.
   */
  runningStateAt(snapshot: TurnSnapshotRef, turnIds: readonly string[]): Promise<Manifest | null>
  /** How much memory to keep of the state that a rewind leaves; null: none. */
  memoryOrder(): Promise<SnapshotMemoryOrder>
  /** Records a snapshot taken of the state that a rewind left. */
  keep(snapshot: { threadId: string; sandboxId: string; kept: HostSnapshot }): Promise<void>
  /** Returns whether the snapshot is kept, according to the records. */
  isKept(threadId: string, snapshotId: string): Promise<boolean>
  /** Throws `snapshot.not-found`. */
  remove(threadId: string, snapshotId: string): Promise<void>
  /** Applies limits that were changed. */
  trim(): Promise<void>
  /** Resolves when nothing is being taken or removed. Takes deferred snapshots now. */
  idle(): Promise<void>
}

export type TurnSnapshotRef = { id: string; at: number; hasMemory: boolean }

export type SnapshotsDependencies = {
  store: SnapshotStore
  host: Pick<HostClient, 'takeSnapshot' | 'snapshots' | 'removeSnapshot' | 'removeSnapshotMemory'>
  sandboxOf: (threadId: string) => Promise<Sandbox | undefined>
  /** `turnIds` are the turns in the conversation, without those that were undone. */
  record: Pick<TurnHistory, 'turnIds' | 'turn'>
  /** What runs in a sandbox now; null when that isn't known in time. */
  readRunningState: (sandbox: Sandbox, signal: AbortSignal) => Promise<Manifest | null>
  /** The id of the turn that is running. */
  runningTurn: (threadId: string) => Promise<string | undefined>
  settings: () => Promise<SettingValues>
  /** How long the server waits for a guest's manifest. */
  manifestTimeoutMs?: number | undefined
  system: System
  logger: Logger
}

const MiB = 1024 * 1024
/** Host codes for a missing disk: the turn can't have changed anything. */
const noDiskCodes = ['sandbox.not-found', 'sandbox.deleting', 'disk.not-found']
const fullCode = 'disk.no-room-for-snapshot'
/** A manifest takes some milliseconds, more on a busy machine. The next operation doesn't wait for it. */
const defaultManifestTimeoutMs = 2000
const unreachableCodes = ['host.unreachable', 'host.preparing']

export function makeSnapshots(dependencies: SnapshotsDependencies): Snapshots {
  const { store, system, logger } = dependencies
  const oneAtATime = makeKeyedLock()
  /** Holds only the taking of snapshots: calls of the next turn wait for that, but not for removals. */
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
        // What is on the disk now may already belong to the running turn.
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
    runningStateAt: async ({ id, hasMemory }, turnIds) => {
      const rows = await store.manifests(id)
      // A snapshot without memory can be shared with an earlier turn, at whose end something else ran.
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

/**
 * Returns undefined when nothing was taken; the record says why. With an unreachable host the snapshot stays pending.
 */
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
    const readRunning = () => readManifestInTime(dependencies, { sandbox, threadId, quiet })
    const firstManifest = readRunning()
    const isHurried = (await quiet.wait(threadId, delayMs)) === 'wanted'
    const manifestRead = isHurried || delayMs === 0 ? firstManifest : readRunning()
    // Memory must match its manifest; a snapshot of files alone isn't delayed for one.
    if (wanted !== null && !isHurried) await manifestRead
    const isLate = isHurried || (delayMs > 0 && quiet.isWanted(threadId))
    const memory = isLate ? null : wanted
    const order = { snapshotId: turn.snapshot_id, memory }
    const taken = await takeAfterMakingRoom(dependencies, { sandboxId: sandbox.id, threadId, order })
    const { snapshotId: id, at, writtenBytes, memoryBytes } = taken.snapshot
    const manifest = await manifestRead
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
    // Shared memory is of an earlier moment, and so is the manifest that belongs to it.
    const json = manifest !== null && (taken.isNew || memoryBytes === null) ? storableManifest(manifest) : null
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

/** What runs now; null if an operation wants to continue with the thread before that is known. */
async function readManifestInTime(
  dependencies: SnapshotsDependencies,
  { sandbox, threadId, quiet }: { sandbox: Sandbox; threadId: string; quiet: QuietWaits },
): Promise<Manifest | null> {
  const { manifestTimeoutMs = defaultManifestTimeoutMs } = dependencies
  const wanted = new AbortController()
  const signal = AbortSignal.any([wanted.signal, AbortSignal.timeout(manifestTimeoutMs)])
  const reading = dependencies.readRunningState(sandbox, signal)
  const whenWanted = quiet
    .wait(threadId, manifestTimeoutMs)
    .then(async (end) => (end === 'quiet' ? await reading : null))
  try {
    return await Promise.race([reading, whenWanted])
  } finally {
    wanted.abort()
  }
}

type SnapshotOrder = { snapshotId: string; memory: SnapshotMemoryOrder }

/** Takes the snapshot. On a full disk, deletes the thread's earlier snapshots and tries once more. */
async function takeAfterMakingRoom(
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

/**
 * Deletes on the host first: a row without a snapshot can be removed later, a snapshot without a row would never be.
 */
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
  const memoryRemovals = chooseMemoryRemovals({ memories, limits: memoryLimitsIn(values) })
  for (const removal of memoryRemovals) await removeMemory(dependencies, removal)
}

/** Deletes on the host first, for the same reason as `removeSnapshot`. */
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
  // Asks the host last, so that it has every snapshot of the records, unless one was removed in the meantime.
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

/** Returns whether a call of the turn was made in the sandbox and may have changed what runs there. */
async function usedSandbox({ record }: SnapshotsDependencies, turnId: string): Promise<boolean> {
  const turn = await record.turn(turnId)
  return turn?.steps.some(({ calls }) => calls.some(({ bootId }) => bootId !== null)) ?? false
}

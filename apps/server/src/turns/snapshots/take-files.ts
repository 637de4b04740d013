import { isThreadboxError } from '@threadbox/errors'
import type { Manifest } from '@threadbox/protocol/guest'
import type { TakenSnapshot } from '@threadbox/protocol/host'
import { type Sandbox, storableManifest } from '../../sandboxes/public.ts'
import { nothingRan } from './nothing-ran.logic.ts'
import type { QuietWaits } from './quiet-waits.ts'
import { type SnapshotOrder, type SnapshotsDependencies, snapshotsIn } from './snapshots.dependencies.ts'
import { memoryStates, type SnapshotRow, type TurnSnapshotRow } from './snapshots.table.ts'

/** Host codes for a missing disk: the turn can't have changed anything. */
const noDiskCodes = ['sandbox.not-found', 'sandbox.deleting', 'disk.not-found']
const busyCode = 'host.busy'
const fullCode = 'disk.no-room-for-snapshot'
/** A manifest takes some milliseconds, more on a busy machine. The next operation doesn't wait for it. */
const defaultManifestTimeoutMs = 2000
const unreachableCodes = ['host.unreachable', 'host.preparing']

/** Of a running sandbox whose guest didn't say what it holds. */
const usualMemoryBytes = 128 * 1024 * 1024

/** What a turn's snapshot of files left to do: to save about so much memory; 0: nothing. */
export type TakenFiles = { taken: TakenSnapshot; memoryBytes: number }

/**
 * Takes the snapshot of a turn's files immediately, and decides whether memory is to follow. If the thread doesn't have
 * to be idle first, memory is saved with the files. Returns undefined when nothing was taken; the record says why. With
 * an unreachable host the snapshot stays pending.
 */
export async function takeFiles(
  dependencies: SnapshotsDependencies,
  { turn, quiet }: { turn: TurnSnapshotRow; quiet: QuietWaits },
): Promise<TakenFiles | undefined> {
  const { store, budget, logger } = dependencies
  const { thread_id: threadId, turn_id: turnId, snapshot_id: snapshotId } = turn
  const sandbox = await dependencies.sandboxOf(threadId)
  const values = await dependencies.settings()
  const { perThread, memory: limits } = snapshotsIn(values)
  if (sandbox === undefined || sandbox.state === 'fresh' || perThread === 0) return void (await store.forgetTurn(turn))
  const isUsed = await usedSandbox(dependencies, turnId)
  const wanted = isUsed ? limits.order : null
  const isPinned = turn.pinned_at !== null
  const isImmediate = limits.quietMs === 0 || isPinned
  const taken = Promise.withResolvers<void>()
  const atLeastUntil = isImmediate ? undefined : taken.promise
  const reading = readManifestInTime(dependencies, { sandbox, threadId, quiet, atLeastUntil })
  try {
    // Memory must match its manifest; files need none.
    const isNow = wanted !== null && isImmediate && !isNothing(await reading)
    const reserve = async () => {
      const bytes = { turnId, threadId, bytes: sizeOf(await reading) }
      if (!isPinned) return (await budget.reserve(bytes)) === 0
      await budget.take(bytes)
      return true
    }
    const memory = isNow && (await reserve()) ? wanted : null
    const order = { snapshotId, memory, sharesMemory: !isUsed }
    const result = await takeAfterMakingRoom(dependencies, { sandboxId: sandbox.id, threadId, order })
    taken.resolve()
    const manifest = await reading
    await store.removeOthers(threadId, sandbox.id)
    // Without a call, a program can have changed the disk: memory of an earlier turn no longer fits.
    const isChanged = isUsed || result.isNew
    const hasNothing = isChanged && isNothing(manifest)
    const isLeft = isChanged && limits.order !== null && memory === null && !hasNothing
    if (memory !== null) await budget.settle(turnId, result.snapshot.memoryBytes ?? 0)
    const problem = hasNothing ? memoryStates.nothingRan : isLeft ? memoryStates.notYet : result.memoryProblem
    const manifestJson = manifestOf(result, manifest)
    await store.taken(turn, rowOf(result, { threadId, sandbox }), { memory_problem: problem, manifestJson })
    return { taken: result, memoryBytes: isLeft ? sizeOf(manifest) : 0 }
  } catch (error) {
    const code = isThreadboxError(error) ? error.code : 'internal'
    if (unreachableCodes.includes(code)) return undefined
    if (noDiskCodes.includes(code)) return void (await store.forgetTurn(turn))
    logger.warn({ err: error, threadId, turnId }, 'the snapshot of a turn could not be taken')
    await store.settle(turn, { state: 'failed', problem: code })
    return undefined
  } finally {
    taken.resolve()
    await reading
  }
}

/**
 * Saves what runs now together with the disk of this moment, in place of the turn's snapshot of files. Call it while no
 * other operation can begin in the thread, only if the turn is its newest, and with bytes reserved. The record says how it
 * ended; with an unreachable host it stays pending, and with `ifFree` also if the host has more urgent work: `busy`. With
 * `ifQuiet`, a message that arrives before the save cancels it; otherwise it waits.
 */
export async function saveMemory(
  dependencies: SnapshotsDependencies,
  { turn, quiet, ifFree, ifQuiet }: { turn: TurnSnapshotRow; quiet: QuietWaits; ifFree: boolean; ifQuiet: boolean },
): Promise<TakenSnapshot | 'busy' | undefined> {
  const { memories, budget, host, system, logger } = dependencies
  const { thread_id: threadId, turn_id: turnId } = turn
  const sandbox = await dependencies.sandboxOf(threadId)
  const { memory } = snapshotsIn(await dependencies.settings())
  const end = async (problem: string) => void (await memories.settleMemory(turn, problem))
  if (sandbox === undefined || memory.order === null) return await end(memoryStates.notSaved)
  const manifest = await readManifestInTime(dependencies, { sandbox, threadId, quiet })
  if (ifQuiet && quiet.isWanted(threadId)) return await end(memoryStates.notQuiet)
  const hasNothing = isNothing(manifest)
  const snapshotId = system.newId('snapshot')
  await memories.announceOther(turn, snapshotId)
  try {
    // What ran when the turn ended may be gone: files can have changed since.
    const order = { snapshotId, memory: hasNothing ? null : memory.order, sharesMemory: false, ifFree }
    const taken = await host.takeSnapshot(sandbox.id, order)
    const problem = hasNothing ? memoryStates.nothingRan : taken.memoryProblem
    // One that was too large was written all the same.
    if (taken.memoryProblem !== 'too-large') await budget.settle(turnId, taken.snapshot.memoryBytes ?? 0)
    const other = taken.isNew
      ? await memories.replaced(turn, rowOf(taken, { threadId, sandbox }), { memory_problem: problem })
      : null
    if (!taken.isNew) await memories.settleMemory(turn, problem)
    const json = manifestOf(taken, manifest)
    if (json !== null) await dependencies.store.keepManifest(turn, taken.snapshot.snapshotId, json)
    await removeOther(dependencies, { ...turn, other_snapshot_id: other })
    return taken
  } catch (error) {
    const code = isThreadboxError(error) ? error.code : 'internal'
    if (unreachableCodes.includes(code)) return undefined
    if (code === busyCode) {
      await removeOther(dependencies, { ...turn, other_snapshot_id: null })
      return 'busy'
    }
    logger.warn({ err: error, threadId, turnId }, 'memory of a turn was not saved')
    await removeOther(dependencies, { ...turn, other_snapshot_id: snapshotId })
    return await end(code === fullCode ? memoryStates.noRoom : memoryStates.notSaved)
  }
}

/** Removes the second snapshot of a turn; while the host is unreachable, it stays recorded. */
export async function removeOther(
  { host, memories, sandboxOf, logger }: SnapshotsDependencies,
  turn: TurnSnapshotRow,
): Promise<void> {
  const { other_snapshot_id: other, thread_id: threadId } = turn
  try {
    const sandbox = await sandboxOf(threadId)
    if (other !== null && sandbox !== undefined) await host.removeSnapshot(sandbox.id, other)
    await memories.otherRemoved(turn, other)
  } catch (error) {
    logger.info({ err: error, threadId, snapshotId: other }, 'a second snapshot of a turn is removed later')
  }
}

/** About how large an image of what runs becomes. */
export function sizeOf(manifest: Manifest | null): number {
  return manifest?.memoryBytes ?? usualMemoryBytes
}

function isNothing(manifest: Manifest | null): boolean {
  return manifest !== null && nothingRan(manifest)
}

function rowOf(
  { snapshot }: TakenSnapshot,
  { threadId, sandbox }: { threadId: string; sandbox: Sandbox },
): Omit<SnapshotRow, 'position'> {
  const { snapshotId: id, at, writtenBytes: written_bytes, memoryBytes: memory_bytes } = snapshot
  return { id, thread_id: threadId, sandbox_id: sandbox.id, at, written_bytes, memory_bytes }
}

/** What is stored with a snapshot. Shared memory is of an earlier moment, and so is the manifest that belongs to it. */
function manifestOf(taken: TakenSnapshot, manifest: Manifest | null): string | null {
  const isOwn = taken.isNew || taken.snapshot.memoryBytes === null
  return manifest !== null && isOwn ? storableManifest(manifest) : null
}

/**
 * What runs now; null if an operation wants to continue with the thread before that is known, but not before
 * `atLeastUntil`, for which it waits anyway.
 */
async function readManifestInTime(
  dependencies: SnapshotsDependencies,
  options: { sandbox: Sandbox; threadId: string; quiet: QuietWaits; atLeastUntil?: Promise<void> | undefined },
): Promise<Manifest | null> {
  const { sandbox, threadId, quiet, atLeastUntil } = options
  const { manifestTimeoutMs = defaultManifestTimeoutMs } = dependencies
  const wanted = new AbortController()
  const signal = AbortSignal.any([wanted.signal, AbortSignal.timeout(manifestTimeoutMs)])
  const reading = dependencies.readRunningState(sandbox, signal)
  const whenWanted = quiet.wait(threadId, manifestTimeoutMs).then(async (end) => {
    if (end === 'quiet') return await reading
    await atLeastUntil
    return null
  })
  try {
    return await Promise.race([reading, whenWanted])
  } finally {
    wanted.abort()
  }
}

/** Takes the snapshot. On a full disk, deletes the thread's earlier snapshots, except pinned ones, and tries once more. */
async function takeAfterMakingRoom(
  dependencies: SnapshotsDependencies,
  { sandboxId, threadId, order }: { sandboxId: string; threadId: string; order: SnapshotOrder },
): Promise<TakenSnapshot> {
  const { host, store } = dependencies
  try {
    return await host.takeSnapshot(sandboxId, order)
  } catch (error) {
    const pinned = await store.pinnedSnapshots()
    const earlier = (await store.all()).filter(({ id, thread_id }) => thread_id === threadId && !pinned.has(id))
    if (!isThreadboxError(error) || error.code !== fullCode || earlier.length === 0) throw error
    for (const { id } of earlier) await removeSnapshot(dependencies, { id, threadId })
    return await host.takeSnapshot(sandboxId, order)
  }
}

/**
 * Deletes on the host first: a row without a snapshot can be removed later, a snapshot without a row would never be.
 */
export async function removeSnapshot(
  { host, store, sandboxOf }: SnapshotsDependencies,
  { id, threadId }: { id: string; threadId: string },
): Promise<void> {
  const sandbox = await sandboxOf(threadId)
  if (sandbox !== undefined) await host.removeSnapshot(sandbox.id, id)
  await store.remove(id)
}

/** Returns whether a call of the turn was made in the sandbox and may have changed what runs there. */
async function usedSandbox({ record }: SnapshotsDependencies, turnId: string): Promise<boolean> {
  const turn = await record.turn(turnId)
  return turn?.steps.some(({ calls }) => calls.some(({ bootId }) => bootId !== null)) ?? false
}

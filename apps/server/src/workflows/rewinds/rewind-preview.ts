import type { Manifest } from '@threadbox/protocol/guest'
import { fileRankOf, imageSnapshot } from '@threadbox/protocol/host'
import type { RewindPreview } from '@threadbox/protocol/public'
import {
  type HostClient,
  nothingRuns,
  type RunningStateDependencies,
  readRunningState,
} from '../../sandboxes/public.ts'
import { connectionPlanOf, type Snapshots, type TurnRecord } from '../../turns/public.ts'
import type { DiskTarget, RewindPlan } from './rewind-plan.ts'
import { rewindSnapshotGone, rewindTurnRunning, rewindUnderWay } from './rewinds.errors.ts'
import { compareRunning } from './running-comparison.logic.ts'

export type PreviewDependencies = RunningStateDependencies & {
  host: Pick<HostClient, 'snapshotChanges' | 'namesAsked'>
  snapshots: Pick<Snapshots, 'runningStateAt'>
}

/**
 * How long the preview waits for the guest; without a reply it says that running processes are unknown. 3 s were too
 * short for 120 processes on a busy machine that saved memory at the same time.
 */
const guestTimeoutMs = 10_000

/** Returns what a rewind would undo, compared with the current state of disk and sandbox. */
export async function previewRewind(
  dependencies: PreviewDependencies,
  { plan, isUnderWay }: { plan: RewindPlan; isUnderWay: boolean },
): Promise<RewindPreview> {
  const { turn, undone, disk } = plan
  const bringsMemory = disk.to === 'snapshot' && disk.hasMemory
  const [changes, lookups, now, earlier] = await Promise.all([
    diskChanges(dependencies, disk),
    lookupsSince(dependencies, plan),
    runsNow(dependencies, disk),
    runningAtTarget(dependencies, plan),
  ])
  return {
    entryId: turn.userEntryId,
    turnId: turn.id,
    text: turn.userText.slice(0, 1000),
    problem: problemOf(plan, isUnderWay),
    messages: { sent: undone.length, answers: undone.filter(({ steps }) => steps.length > 0).length },
    disk: { to: disk.to, at: disk.to === 'snapshot' ? disk.at : null, ...changes },
    bringsMemory,
    nothingRan: disk.to === 'image' || disk.to === 'none' || (disk.to === 'snapshot' && disk.hadNothing),
    isPinned: disk.to === 'snapshot' && disk.isPinned,
    running: compareRunning({ now, earlier, bringsMemory }),
    calls: connectionCalls(undone),
    lookups,
  }
}

function problemOf({ undone, disk }: RewindPlan, isUnderWay: boolean): string | null {
  if (isUnderWay) return rewindUnderWay.code
  if (undone.at(-1)?.status === 'running') return rewindTurnRunning.code
  return disk.to === 'gone' ? rewindSnapshotGone.code : null
}

async function diskChanges(
  { host }: PreviewDependencies,
  disk: DiskTarget,
): Promise<Pick<RewindPreview['disk'], 'files' | 'caches' | 'count'>> {
  if (disk.to === 'none' || disk.to === 'gone') return { files: [], caches: [], count: 0 }
  const snapshotId = disk.to === 'snapshot' ? disk.snapshotId : imageSnapshot
  const found = await host.snapshotChanges(disk.sandbox.id, snapshotId).catch(() => undefined)
  if (found === undefined) return { files: null, caches: [], count: 0 }
  const files = found.files.map(({ name, bytesBefore, bytesNow, lines }) => ({
    path: `/${name}`,
    change:
      bytesBefore === null ? ('removed' as const) : bytesNow === null ? ('restored' as const) : ('changed' as const),
    bytesNow,
    bytesThen: bytesBefore,
    // A rewind removes the lines added since.
    lines: lines && { added: lines.removed, removed: lines.added },
  }))
  // If the list is truncated, the counts include directories, which cannot be subtracted.
  const hasAll = Math.max(found.removedCount, found.changedCount, found.addedCount) <= maxNamedOfEach
  const named = hasAll ? files.length : found.removedCount + found.changedCount + found.addedCount
  const caches = found.folders.map(({ name, removedCount, changedCount, addedCount }) => ({
    path: `/${name}`,
    removed: addedCount,
    restored: removedCount,
    changed: changedCount,
  }))
  const inCaches = caches.reduce((sum, cache) => sum + cache.removed + cache.restored + cache.changed, 0)
  return { files: files.toSorted(inHomeFirst), caches, count: named + inCaches }
}

/** The host’s limit for each kind of change. */
const maxNamedOfEach = 1000

function inHomeFirst(left: { path: string }, right: { path: string }): number {
  return fileRankOf(left.path) - fileRankOf(right.path) || (left.path < right.path ? -1 : 1)
}

/** Null: unknown. */
export async function runsNow(dependencies: RunningStateDependencies, disk: DiskTarget): Promise<Manifest | null> {
  if (disk.to === 'none') return nothingRuns
  return await readRunningState(dependencies, disk.sandbox, AbortSignal.timeout(guestTimeoutMs))
}

/** Null: not recorded. */
export async function runningAtTarget(
  { snapshots }: PreviewDependencies,
  { disk, kept }: RewindPlan,
): Promise<Manifest | null> {
  if (disk.to === 'none' || disk.to === 'image') return nothingRuns
  if (disk.to === 'gone') return null
  const { snapshotId: id, hasMemory } = disk
  const turnIds = kept.map((turn) => turn.id)
  return await snapshots.runningStateAt({ id, hasMemory }, turnIds)
}

/** The hostnames that the sandbox looked up. The host has recorded them only since it started. */
async function lookupsSince({ host }: PreviewDependencies, plan: RewindPlan): Promise<RewindPreview['lookups']> {
  const { disk, turn } = plan
  const none = { names: [], nameCount: 0, since: null }
  if (disk.to === 'none') return { ...none, isWhole: true }
  const { id, created_at } = disk.sandbox
  const moment = disk.to === 'snapshot' ? disk.at : disk.to === 'image' ? created_at : turn.startedAt
  const found = await host.namesAsked(id, { since: moment }).catch(() => undefined)
  if (found === undefined || found.knownSince === null) return { ...none, isWhole: false }
  const since = Math.max(moment, Math.ceil(found.knownSince))
  const { names, knownSince } = found
  return { names: names.slice(0, maxNames), nameCount: names.length, since, isWhole: knownSince <= moment }
}

/** Limit for readability. */
const maxNames = 100

/** Calls to connections, successful or not: the effect of a failed call is unknown. */
function connectionCalls(turns: readonly TurnRecord[]): RewindPreview['calls'] {
  const calls = turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls))
  const counts = new Map<string, number>()
  for (const call of calls) {
    const wasMade = call.status !== 'waiting' && call.status !== 'awaiting-approval'
    if (wasMade && connectionPlanOf(call) !== undefined) counts.set(call.tool, (counts.get(call.tool) ?? 0) + 1)
  }
  return [...counts].map(([tool, count]) => ({ tool, count }))
}

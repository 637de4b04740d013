import { type Manifest, manifestSchema } from '@threadbox/protocol/guest'
import type { RewindPreview } from '@threadbox/protocol/public'
import type { GuestQuestions } from '../lifecycle/guest-manifest.ts'
import { commandOf, isFurniture } from '../lifecycle/survival-items.models.ts'
import type { HostClient } from '../sandboxes/host-client.ts'
import type { SandboxStore } from '../sandboxes/sandboxes.store.ts'
import type { SandboxRow } from '../sandboxes/sandboxes.table.ts'
import { connectionPlanOf } from '../turns/connection-call.ts'
import type { TurnRecord } from '../turns/turn-record.ts'
import type { DiskTarget, RewindPlan } from './rewind-plan.ts'
import { rewindSnapshotGone, rewindTurnRunning, rewindUnderWay } from './rewinds.errors.ts'

export type LookDependencies = {
  host: Pick<HostClient, 'snapshotChanges'>
  guest: Pick<GuestQuestions, 'manifest'>
  hashKeyOf: (sandboxId: string) => string
  /** What was alive in a sandbox when it was paused. */
  memoryOf: SandboxStore['memory']
}

/** How long a dialog waits for what is inside; without an answer it says that nobody could look. */
const lookTimeoutMs = 3000
/** More names than a person reads. */
const maxNames = 100
const maxCharacters = 200

/** What a rewind would undo, by looking at what is there. */
export async function previewRewind(
  dependencies: LookDependencies,
  { plan, isUnderWay }: { plan: RewindPlan; isUnderWay: boolean },
): Promise<RewindPreview> {
  const { turn, undone, disk } = plan
  const [changes, memory] = await Promise.all([diskChanges(dependencies, disk), memoryNow(dependencies, disk)])
  return {
    entryId: turn.userEntryId,
    turnId: turn.id,
    text: turn.userText.slice(0, 1000),
    problem: problemOf(plan, isUnderWay),
    messages: { sent: undone.length, answers: undone.filter(({ steps }) => steps.length > 0).length },
    disk: { to: disk.to, at: disk.to === 'snapshot' ? disk.at : null, ...changes },
    bringsMemory: disk.to === 'snapshot' && disk.hasMemory,
    memory,
    calls: callsElsewhere(undone),
  }
}

function problemOf({ undone, disk }: RewindPlan, isUnderWay: boolean): string | null {
  if (isUnderWay) return rewindUnderWay.code
  if (undone.at(-1)?.status === 'running') return rewindTurnRunning.code
  return disk.to === 'gone' ? rewindSnapshotGone.code : null
}

async function diskChanges(
  { host }: LookDependencies,
  disk: DiskTarget,
): Promise<Pick<RewindPreview['disk'], 'files' | 'count'>> {
  if (disk.to === 'none' || disk.to === 'gone') return { files: [], count: 0 }
  const snapshotId = disk.to === 'snapshot' ? disk.snapshotId : null
  const found = await host.snapshotChanges(disk.sandbox.id, snapshotId).catch(() => undefined)
  if (found === undefined) return { files: null, count: 0 }
  const files = found.files.map(({ name, bytesBefore: bytesThen, bytesNow }) => ({
    path: `/${name}`,
    change:
      bytesThen === null ? ('removed' as const) : bytesNow === null ? ('restored' as const) : ('changed' as const),
    ...{ bytesNow, bytesThen },
  }))
  // Of more than are named the directories are not told apart.
  const hasAll = found.files.length < 1000
  const count = hasAll ? files.length : found.removedCount + found.changedCount + found.addedCount
  return { files: files.toSorted(homeFirst), count }
}

/** What a person made is more likely in the home directory than below /var. */
function homeFirst(left: { path: string }, right: { path: string }): number {
  const rank = ({ path }: { path: string }) =>
    !path.startsWith('/home/') ? 2 : path.split('/').some((part) => part.startsWith('.')) ? 1 : 0
  return rank(left) - rank(right) || (left.path < right.path ? -1 : 1)
}

async function memoryNow(dependencies: LookDependencies, disk: DiskTarget): Promise<RewindPreview['memory']> {
  const nothing = { processes: [], services: [], variables: [] }
  if (disk.to === 'none' || disk.to === 'gone') return nothing
  const { sandbox } = disk
  if (sandbox.state !== 'active' && sandbox.state !== 'paused') return nothing
  const manifest = await (sandbox.state === 'active'
    ? askGuest(dependencies, sandbox)
    : readManifest(dependencies, sandbox)
  ).catch(() => undefined)
  return manifest === undefined ? null : namesIn(manifest)
}

async function askGuest({ guest, hashKeyOf }: LookDependencies, row: SandboxRow): Promise<Manifest> {
  const target = { sandboxId: row.id, bootId: row.boot_id ?? '' }
  const signal = AbortSignal.timeout(lookTimeoutMs)
  return await guest.manifest(target, { hashKey: hashKeyOf(row.id), signal })
}

async function readManifest({ memoryOf }: LookDependencies, row: SandboxRow): Promise<Manifest | undefined> {
  const json = (await memoryOf(row.id))?.manifest_json
  return json == null ? undefined : manifestSchema.parse(JSON.parse(json))
}

function namesIn(manifest: Manifest): NonNullable<RewindPreview['memory']> {
  const own = manifest.processes.filter(({ role }) => !isFurniture(role))
  const services = new Set(own.map(({ service }) => service).filter((name) => name !== ''))
  const processes = own.filter(({ role }) => role !== 'service').map(commandOf)
  const variables = manifest.kernels.flatMap((kernel) => kernel.variables.map(({ name }) => name))
  return { processes: shortened(processes), services: shortened([...services]), variables: shortened(variables) }
}

function shortened(names: readonly string[]): string[] {
  return names.slice(0, maxNames).map((name) => name.slice(0, maxCharacters))
}

/** What was asked of connections, whether it succeeded or not: nobody knows what a failed call did. */
function callsElsewhere(turns: readonly TurnRecord[]): RewindPreview['calls'] {
  const calls = turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls))
  const counts = new Map<string, number>()
  for (const call of calls) {
    const wasMade = call.status !== 'waiting' && call.status !== 'awaiting-approval'
    if (wasMade && connectionPlanOf(call) !== undefined) counts.set(call.tool, (counts.get(call.tool) ?? 0) + 1)
  }
  return [...counts].map(([tool, count]) => ({ tool, count }))
}

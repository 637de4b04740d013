import type { DiskStore } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import type { HostSnapshot } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../boots/boots.ts'
import { isAsleep, type PausedBoots } from '../memory/paused-boots.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { BootsStore } from '../state/boots.store.ts'
import type { RewindsStore } from '../state/rewinds.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import type { RewindsTable } from '../state/state.tables.ts'
import { rewindTargetGone } from './rewinds.errors.ts'

/**
 * Disks that get back what they contained earlier. What they contain now is kept first, while nothing else is changed
 * yet; then it is recorded that the rewind is to be, and from there on it is finished. The memory of the sandbox ends
 * before its disk is touched, so that no memory ever meets a disk that it does not fit. The caller sees to it that one
 * thing at a time is done with a sandbox.
 */
export type Rewinds = {
  /** Asked again with the same `keepId`: the same rewind. */
  rewind(options: { sandbox: StoredSandbox; snapshotId: string | null; keepId: string }): Promise<HostSnapshot>
  /** Finishes what was begun; a sandbox may start over its disk only after that. */
  settle(sandbox: StoredSandbox): Promise<void>
  /** As `settle`, at a start of the daemon: what cannot be finished now is left for the next order. */
  reclaim(sandbox: StoredSandbox): Promise<void>
}

type RewindsParts = {
  disks: DiskStore
  boots: Pick<BootsStore, 'current'>
  running: Pick<Boots, 'stop'>
  paused: Pick<PausedBoots, 'drop' | 'markPoint'>
  snapshots: Pick<Snapshots, 'take' | 'list'>
  store: RewindsStore
  logger: Logger
}

export function makeRewinds(parts: RewindsParts): Rewinds {
  const { store, snapshots, logger } = parts
  const settle = async (sandbox: StoredSandbox) => {
    const begun = await store.find(sandbox.sandboxId)
    if (begun?.phase === 'begun') await finish(parts, sandbox, begun)
  }
  const find = async (sandbox: StoredSandbox, snapshotId: string) =>
    (await snapshots.list(sandbox)).find((one) => one.snapshotId === snapshotId)
  return {
    settle,
    rewind: async ({ sandbox, snapshotId, keepId }) => {
      const { sandboxId } = sandbox
      await settle(sandbox)
      const last = await store.find(sandboxId)
      const known = last?.keepId === keepId ? await find(sandbox, last.keptId) : undefined
      if (known !== undefined) return known
      if (snapshotId !== null && (await find(sandbox, snapshotId)) === undefined) throw rewindTargetGone({ snapshotId })
      const { snapshot } = await snapshots.take({ sandbox, snapshotId: keepId })
      const rewind = { sandboxId, keepId, keptId: snapshot.snapshotId, targetId: snapshotId }
      await store.begin(rewind)
      await finish(parts, sandbox, rewind)
      return snapshot
    },
    reclaim: async (sandbox) => {
      await settle(sandbox).catch((error: unknown) => {
        logger.error({ error, sandboxId: sandbox.sandboxId }, 'a rewind could not be finished')
      })
    },
  }
}

/** Begun again after a crash, from wherever it was. */
async function finish(
  parts: RewindsParts,
  sandbox: StoredSandbox,
  { targetId }: Pick<RewindsTable, 'targetId'>,
): Promise<void> {
  const { disks, store, logger } = parts
  const { sandboxId, placeId: diskId } = sandbox
  const boot = await parts.boots.current(sandboxId)
  const detail = 'The thread was rewound.'
  if (boot !== undefined && isAsleep(boot)) await parts.paused.drop({ sandbox, boot, detail })
  else if (boot !== undefined) await parts.running.stop(boot)
  try {
    await disks.restoreSnapshot({ diskId, snapshotId: targetId })
  } catch (error) {
    // There is nothing to go back to: the disk stays as it is.
    if (isErrorOf({ code: 'disk.snapshot-not-found' }, error)) await store.remove(sandboxId)
    throw error
  }
  // Else a disk that is lost later would get back what was undone here.
  await parts.paused.markPoint(sandbox)
  await store.finish(sandboxId)
  logger.info({ sandboxId, targetId }, 'sandbox rewound')
}

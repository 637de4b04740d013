import type { DiskStore } from '@threadbox/disk-store'
import type { makeKeyedLock, SandboxLimits } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import type { HostSandbox, ShutdownOutcome } from '@threadbox/protocol/host'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { BootFiles } from '../../boots/launch/boot-files.ts'
import type { Spare, Spares } from '../../boots/spares/spares.ts'
import type { Forks } from '../../copies/forks/forks.ts'
import type { Rewinds } from '../../copies/rewinds/rewinds.ts'
import { sandboxPaused } from '../../machine/errors/memory.errors.ts'
import {
  bootUsedBefore,
  hostShuttingDown,
  otherBoot,
  sandboxDeleting,
  sandboxNotFound,
} from '../../machine/errors/orders.errors.ts'
import type { BaseImages } from '../../machine/images/base-images.ts'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { Attachments } from '../../machine/network/attachments.ts'
import type { SkillPlaces } from '../../machine/skills/skill-places.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { bootBytes, type MemoryRoom } from '../../memory/memory/memory-room.ts'
import { isAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import { presentSandbox } from '../sandboxes/present-sandbox.ts'
import { type CleanOrders, makeCleanOrders } from './clean-orders.ts'
import { type DiskOrders, makeDiskOrders } from './disk-orders.ts'
import { type ForkOrders, makeForkOrders } from './fork-orders.ts'
import { type MemoryOrders, makeMemoryOrders } from './memory-orders.ts'
import { makeRewindOrders, type RewindOrders } from './rewind-orders.ts'
import { makeSkillOrders, type SkillOrders } from './skill-orders.ts'
import { makeSnapshotOrders, type SnapshotOrders } from './snapshot-orders.ts'
import { shutDownAll, stopSandbox } from './stop-sandboxes.ts'

export type OrdersParts = {
  sandboxes: SandboxesStore
  boots: BootsStore
  running: Boots
  driver: SandboxDriver
  disks: DiskStore
  network: SandboxNetwork
  addresses: AddressBook
  attachments: Attachments
  images: BaseImages
  files: BootFiles
  skills: SkillPlaces
  spares: Spares
  paused: PausedBoots
  snapshots: Snapshots
  forks: Forks
  rewinds: Rewinds
  room: MemoryRoom
  logger: Logger
  clock: () => number
  lock: ReturnType<typeof makeKeyedLock>
}

type WantedSandbox = {
  limits: SandboxLimits
  egress: HostSandbox['egress']
  hashKey?: string | undefined
}

/**
 * What the server may order. Every order can be sent again; orders about one sandbox are carried out one after another,
 * about different sandboxes side by side; an order that names another boot than the current one is refused.
 */
export type SandboxOrders = MemoryOrders &
  SnapshotOrders &
  SkillOrders &
  ForkOrders &
  RewindOrders &
  CleanOrders &
  DiskOrders & {
    ensure(sandboxId: string, wanted: WantedSandbox): Promise<HostSandbox>
    change(
      sandboxId: string,
      wanted: { limits?: SandboxLimits | undefined; egress?: HostSandbox['egress'] | undefined },
    ): Promise<HostSandbox>
    start(sandboxId: string, order: { bootId: string; hostname: string }): Promise<HostSandbox>
    stop(sandboxId: string, order: { bootId: string }): Promise<HostSandbox>
    delete(sandboxId: string): Promise<void>
    /** What its disk holds takes the file system some 15 ms to say, so only who wants to know is told. */
    get(sandboxId: string, options?: { withUsage: boolean }): Promise<HostSandbox>
    list(): Promise<HostSandbox[]>
    /**
     * Pauses every boot to the disk, or stops it where that cannot be, and refuses to start another. What did not stop is
     * named, and keeps none else up.
     */
    shutDown(options: { keepsMemory: boolean }): Promise<ShutdownOutcome>
  }

export function makeSandboxOrders(parts: OrdersParts): SandboxOrders {
  const { sandboxes, boots, lock } = parts
  let isShuttingDown = false

  const known = async (sandboxId: string) => {
    const sandbox = await sandboxes.find(sandboxId)
    if (sandbox === undefined) throw sandboxNotFound({ sandboxId })
    if (sandbox.isDeleting) throw sandboxDeleting({ sandboxId })
    return sandbox
  }
  const apply = async (sandbox: StoredSandbox, wanted: { limits: SandboxLimits; egress: HostSandbox['egress'] }) => {
    await changeSandbox(parts, { sandbox, ...wanted })
    return await presentSandbox(parts, { ...sandbox, ...wanted })
  }
  return {
    ensure: (sandboxId, wanted) =>
      lock(sandboxId, async () => {
        const sandbox = await sandboxes.find(sandboxId)
        if (sandbox === undefined)
          return await presentSandbox(parts, await createSandbox(parts, { sandboxId, ...wanted }))
        if (sandbox.isDeleting) throw sandboxDeleting({ sandboxId })
        const { limits, egress, hashKey } = wanted
        if (hashKey !== undefined && hashKey !== sandbox.manifestKey) await sandboxes.setManifestKey(sandboxId, hashKey)
        return await apply(sandbox, { limits, egress })
      }),
    change: (sandboxId, wanted) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        return await apply(sandbox, {
          limits: wanted.limits ?? sandbox.limits,
          egress: wanted.egress ?? sandbox.egress,
        })
      }),
    start: (sandboxId, order) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        if (isShuttingDown) throw hostShuttingDown({})
        await parts.spares.holdOff(() => startSandbox(parts, { sandbox, ...order }))
        return await presentSandbox(parts, sandbox)
      }),
    stop: (sandboxId, { bootId }) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        const current = await boots.current(sandboxId)
        if (current !== undefined && current.bootId !== bootId) {
          throw otherBoot({ sandboxId, bootId, currentBootId: current.bootId })
        }
        if (current !== undefined) await stopSandbox(parts, { sandbox, boot: current })
        return await presentSandbox(parts, sandbox)
      }),
    delete: (sandboxId) =>
      lock(sandboxId, async () => {
        const sandbox = await sandboxes.find(sandboxId)
        if (sandbox !== undefined) await deleteSandbox(parts, sandbox)
      }),
    get: async (sandboxId, options) => {
      const sandbox = await sandboxes.find(sandboxId)
      if (sandbox === undefined || sandbox.isDeleting) throw sandboxNotFound({ sandboxId })
      const presented = await presentSandbox(parts, sandbox)
      if (options?.withUsage !== true) return presented
      return { ...presented, diskUsedBytes: await usedBytes(parts, sandbox.placeId) }
    },
    list: async () => {
      const all = await sandboxes.list()
      return await Promise.all(all.filter((one) => !one.isDeleting).map((one) => presentSandbox(parts, one)))
    },
    shutDown: async (options) => {
      isShuttingDown = true
      return await shutDownAll(parts, options)
    },
    ...makeMemoryOrders({ ...parts, known, isShuttingDown: () => isShuttingDown }),
    ...makeSnapshotOrders({ ...parts, known }),
    ...makeSkillOrders({ ...parts, known }),
    ...makeRewindOrders({ ...parts, known, isShuttingDown: () => isShuttingDown }),
    ...makeCleanOrders({ ...parts, known }),
    ...makeDiskOrders({ ...parts, known, undo: (sandbox) => deleteSandbox(parts, sandbox) }),
    ...makeForkOrders({
      ...parts,
      known,
      isShuttingDown: () => isShuttingDown,
      undo: (fork) => deleteSandbox(parts, fork),
    }),
  }
}

/** Row first, then what it describes: what a crash leaves without a row would belong to nobody. */
async function createSandbox(
  parts: OrdersParts,
  wanted: WantedSandbox & { sandboxId: string },
): Promise<StoredSandbox> {
  const { sandboxId, limits, egress } = wanted
  const manifestKey = wanted.hashKey ?? null
  const imageId = await parts.images.current()
  const row = { sandboxId, imageId, limits, egress, manifestKey, createdAt: parts.clock(), isDeleting: false }
  const spare = parts.spares.take({ imageId, limits })
  if (spare !== undefined) return await takeSpare(parts, { row, spare })
  const sandbox = await parts.addresses.assign(async (address) => {
    const own = { ...row, placeId: sandboxId, hostname: null, address }
    await parts.sandboxes.insert(own)
    return own
  })
  const made = await Promise.allSettled([
    parts.disks.createDisk({ diskId: sandboxId, imageId, limitBytes: limits.diskBytes }),
    parts.attachments.prepare(sandbox),
  ])
  const failure = made.find((result) => result.status === 'rejected')
  if (failure === undefined) return sandbox
  await deleteSandbox(parts, sandbox)
  throw failure.reason
}

/** The place of a spare becomes a sandbox's. What of the order a boot does not decide is applied to it. */
async function takeSpare(
  parts: OrdersParts,
  { row, spare }: { row: Omit<StoredSandbox, 'placeId' | 'hostname' | 'address'>; spare: Spare },
): Promise<StoredSandbox> {
  const { placeId, address, waiting } = spare
  const sandbox = { ...row, placeId, address, hostname: waiting.hostname }
  await parts.sandboxes.insert(sandbox)
  const { diskBytes } = row.limits
  if (diskBytes !== spare.limits.diskBytes) await parts.disks.setDiskLimit({ diskId: placeId, limitBytes: diskBytes })
  if (row.egress.kind !== 'open') await parts.network.setEgress({ sandboxId: placeId, egress: row.egress })
  return sandbox
}

async function changeSandbox(
  parts: OrdersParts,
  wanted: { sandbox: StoredSandbox; limits: SandboxLimits; egress: HostSandbox['egress'] },
): Promise<void> {
  const { sandbox, limits, egress } = wanted
  const { sandboxId, placeId } = sandbox
  const hasNewLimits = !isSame(limits, sandbox.limits)
  const hasNewEgress = !isSame(egress, sandbox.egress)
  if (!hasNewLimits && !hasNewEgress) return
  const boot = await parts.boots.current(sandboxId)
  if (limits.diskBytes !== sandbox.limits.diskBytes) {
    await parts.disks.setDiskLimit({ diskId: placeId, limitBytes: limits.diskBytes })
  }
  if (hasNewLimits && boot?.state === 'ready') await parts.running.setLimits({ sandbox, boot, limits })
  const isAttached = (await parts.network.list()).includes(placeId)
  if (hasNewEgress && isAttached) await parts.network.setEgress({ sandboxId: placeId, egress })
  await parts.sandboxes.change(sandboxId, { limits, egress })
}

async function startSandbox(
  parts: OrdersParts,
  order: { sandbox: StoredSandbox; bootId: string; hostname: string },
): Promise<void> {
  const { sandbox, bootId, hostname } = order
  const { sandboxId } = sandbox
  const current = await parts.boots.current(sandboxId)
  if (current?.bootId === bootId && !isAsleep(current)) return
  if (current?.bootId === bootId) throw sandboxPaused({})
  if (current !== undefined) throw otherBoot({ sandboxId, bootId, currentBootId: current.bootId })
  if ((await parts.boots.find(bootId)) !== undefined) throw bootUsedBefore({ bootId })
  await parts.rewinds.settle(sandbox)
  const { diskPath, diskRestoredFrom } = await openDisk(parts, sandbox)
  const waiting = parts.spares.claim(sandbox.placeId)
  if (waiting === undefined) await parts.room.ensure(bootBytes)
  if (sandbox.hostname === null) await parts.sandboxes.setHostname(sandboxId, hostname)
  const kept = sandbox.hostname ?? hostname
  await parts.running.start({ sandbox, diskPath, bootId, hostname: kept, waiting, diskRestoredFrom })
}

/**
 * The disk of a sandbox that is to start. A sandbox that never ran may get an empty one (a crash may have come between);
 * after that a disk that is gone is lost: its snapshot takes its place, or the order says that there is none.
 */
async function openDisk(
  parts: OrdersParts,
  sandbox: StoredSandbox,
): Promise<{ diskPath: string; diskRestoredFrom: number | null }> {
  const { placeId: diskId, imageId, limits } = sandbox
  if (sandbox.hostname === null) {
    const { path } = await parts.disks.createDisk({ diskId, imageId, limitBytes: limits.diskBytes })
    return { diskPath: path, diskRestoredFrom: null }
  }
  try {
    return { diskPath: (await parts.disks.getDisk(diskId)).path, diskRestoredFrom: null }
  } catch (error) {
    const restored = await parts.paused.restoreDisk(sandbox)
    if (restored === undefined) throw error
    parts.logger.error(
      { error, sandboxId: sandbox.sandboxId, from: restored },
      'a lost disk was made from its snapshot',
    )
    return { diskPath: (await parts.disks.getDisk(diskId)).path, diskRestoredFrom: restored }
  }
}

/** Everything of a sandbox, in the order in which it is used. Begun again after a crash, from wherever it was. */
export async function deleteSandbox(
  parts: Pick<
    OrdersParts,
    'sandboxes' | 'boots' | 'running' | 'disks' | 'network' | 'attachments' | 'files' | 'spares' | 'driver' | 'paused'
  >,
  sandbox: StoredSandbox,
): Promise<void> {
  const { sandboxId, placeId } = sandbox
  await parts.sandboxes.markDeleting(sandboxId)
  const boot = await parts.boots.current(sandboxId)
  if (boot !== undefined && isAsleep(boot)) await parts.paused.drop({ sandbox, boot, detail: 'It was deleted.' })
  else if (boot !== undefined) await parts.running.stop(boot)
  const waiting = parts.spares.claim(placeId)
  if (waiting !== undefined) {
    await parts.driver.stop(waiting.driverBootId)
    await parts.driver.forget(waiting.driverBootId)
  }
  parts.attachments.forget(placeId)
  await parts.network.detach(placeId)
  await parts.disks.deleteDisk(placeId)
  await parts.files.remove(placeId)
  await parts.sandboxes.remove(sandboxId)
}

async function usedBytes(parts: OrdersParts, diskId: string): Promise<number | null> {
  try {
    return (await parts.disks.diskUsage(diskId)).usedBytes
  } catch (error) {
    if (isErrorOf({ code: 'disk.not-found' }, error)) return null
    throw error
  }
}

/** Both were parsed by the same schema, so equal values have equal texts. */
function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

import { constants, cp } from 'node:fs/promises'
import path from 'node:path'
import type { DiskStore } from '@threadbox/disk-store'
import type { SnapshotMemoryProblem } from '@threadbox/protocol/host'
import { canSaveMemory, type MemorySavingDriver, type SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { MemoryImagesStore, StoredImage } from '../../machine/state/memory-images.store.ts'
import type { PausePointsStore } from '../../machine/state/pause-points.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { SnapshotMemoriesStore } from '../../machine/state/snapshot-memories.store.ts'
import { reasonOf } from '../memory/memory-steps.ts'
import { imageName } from '../memory/pause.ts'
import type { SavedMemory } from '../memory/saved-memory.ts'

/**
 * Memory of snapshots. Each fits the content of its own snapshot and nothing else. It is only read, over a new copy of
 * that content each time, so it can be used any number of times. The caller ensures that only one operation at a time
 * runs on a sandbox.
 */
export type SnapshotMemories = {
  /** Returns what can be saved with a snapshot made now, or why nothing can. Changes nothing. */
  plan(options: { sandbox: StoredSandbox; maxBytes: number }): Promise<MemoryPlan>
  /**
   * Calls `snapshot` once, while the planned memory's boot is frozen. The boot then continues, whatever fails; only
   * errors of `snapshot` are thrown.
   */
  saveWith(options: SaveOptions): Promise<{ problem: SnapshotMemoryProblem | null; stallMs: number }>
  /** Returns undefined if that snapshot of the sandbox has none. */
  find(sandbox: StoredSandbox, snapshotId: string): Promise<SavedMemory | undefined>
  /** Bytes of complete ones, by snapshot. */
  sizes(sandboxId: string): Promise<ReadonlyMap<string, number>>
  /** Discards it; the snapshot stays. Does nothing if it is already gone or belongs to another sandbox. */
  remove(sandbox: StoredSandbox, snapshotId: string): Promise<void>
  /** Names of its memory image directories. */
  places(): Promise<ReadonlySet<string>>
  /** Lets boots continue that were frozen when the last daemon ended, and removes what is half made or half removed. */
  reclaim(sandboxes: readonly StoredSandbox[]): Promise<void>
}

export type MemoryPlan =
  | { of: 'nothing'; problem: SnapshotMemoryProblem }
  | { of: 'running'; boot: StoredBoot; driver: MemorySavingDriver; maxBytes: number }
  | { of: 'paused'; boot: StoredBoot; image: StoredImage }

type SaveOptions = {
  sandbox: StoredSandbox
  snapshotId: string
  plan: MemoryPlan
  snapshot: () => Promise<void>
}

type MemoriesPorts = {
  driver: SandboxDriver
  disks: DiskStore
  boots: Pick<BootsStore, 'current'>
  running: Pick<Boots, 'end'>
  images: Pick<MemoryImagesStore, 'find'>
  pausePoints: Pick<PausePointsStore, 'find'>
  store: SnapshotMemoriesStore
  logger: Logger
}

/** An image is a little larger than what it holds. */
const imageMarginBytes = 64 * 1024 * 1024
/** This share of the pool is left to disks and pauses: memory of snapshots is only a convenience. */
const freeShare = 0.1

export function makeSnapshotMemories(ports: MemoriesPorts): SnapshotMemories {
  const { disks, store } = ports
  const own = async ({ sandboxId }: StoredSandbox, snapshotId: string) => {
    const found = await store.find(snapshotId)
    return found?.sandboxId === sandboxId ? found : undefined
  }
  return {
    plan: (options) => planMemory(ports, options),
    saveWith: async (options) => {
      const { plan, snapshot } = options
      if (plan.of === 'running') return await saveRunning(ports, { ...options, plan })
      await snapshot()
      if (plan.of === 'nothing') return { problem: plan.problem, stallMs: 0 }
      return { problem: await copyPaused(ports, { ...options, plan }), stallMs: 0 }
    },
    find: async (sandbox, snapshotId) => {
      const found = await own(sandbox, snapshotId)
      if (found?.phase !== 'ready') return undefined
      const place = await disks.makeMemoryPlace({ diskId: sandbox.placeId, imageId: snapshotId })
      const { bytes, guestDirectory, accessToken } = found
      return { directory: path.join(place.path, imageName), bytes, guestDirectory, accessToken }
    },
    sizes: async (sandboxId) => {
      const whole = (await store.list()).filter((one) => one.sandboxId === sandboxId && one.phase === 'ready')
      return new Map(whole.map(({ snapshotId, bytes }) => [snapshotId, bytes]))
    },
    remove: async (sandbox, snapshotId) => {
      if ((await own(sandbox, snapshotId)) !== undefined) await removeMemory(ports, { sandbox, snapshotId })
    },
    places: async () => new Set((await store.list()).map(({ snapshotId }) => snapshotId)),
    reclaim: async (sandboxes) => {
      const known = new Map(sandboxes.map((sandbox) => [sandbox.sandboxId, sandbox]))
      for (const { phase, sandboxId, snapshotId, driverBootId } of await store.list()) {
        const sandbox = known.get(sandboxId)
        if (phase === 'ready' || sandbox === undefined || sandbox.isDeleting) continue
        const boot = await ports.boots.current(sandboxId)
        // One that was paused since then stays paused.
        if (boot?.state === 'ready' && boot.driverBootId === driverBootId) await thawAfterSave(ports, boot)
        await removeMemory(ports, { sandbox, snapshotId })
      }
    },
  }
}

async function planMemory(
  ports: MemoriesPorts,
  { sandbox, maxBytes }: { sandbox: StoredSandbox; maxBytes: number },
): Promise<MemoryPlan> {
  const { driver } = ports
  const nothing = (problem: SnapshotMemoryProblem) => ({ of: 'nothing', problem }) as const
  if (!canSaveMemory(driver)) return nothing('unsupported')
  const boot = await ports.boots.current(sandbox.sandboxId)
  if (boot?.state === 'paused') {
    const image = await ports.images.find(sandbox.sandboxId)
    const point = await ports.pausePoints.find(sandbox.sandboxId)
    // One from another pause, or from none, does not fit the disk's content.
    if (image?.phase !== 'ready' || point?.snapshotId !== image.imageId) return nothing('not-awake')
    if (image.bytes > maxBytes) return nothing('too-large')
    return (await hasRoom(ports, image.bytes)) ? { of: 'paused', boot, image } : nothing('no-room')
  }
  if (boot?.state !== 'ready') return nothing('not-awake')
  const status = await driver.inspect(boot.driverBootId)
  if (status?.state !== 'running') return nothing('not-awake')
  const heldBytes = status.memoryBytes ?? 0
  if (heldBytes > maxBytes || maxBytes === 0) return nothing('too-large')
  return (await hasRoom(ports, heldBytes)) ? { of: 'running', boot, driver, maxBytes } : nothing('no-room')
}

async function hasRoom({ disks }: MemoriesPorts, heldBytes: number): Promise<boolean> {
  const { totalBytes, usedBytes } = await disks.poolUsage()
  return totalBytes - usedBytes - heldBytes - imageMarginBytes >= totalBytes * freeShare
}

async function saveRunning(
  ports: MemoriesPorts,
  options: SaveOptions & { plan: Extract<MemoryPlan, { of: 'running' }> },
): Promise<{ problem: SnapshotMemoryProblem | null; stallMs: number }> {
  const { sandbox, snapshotId, plan } = options
  const { boot, driver } = plan
  await announce(ports, options)
  // What is written now need not be written while the sandbox is frozen.
  await ports.disks.syncDisk(sandbox.placeId)
  const frozenAt = performance.now()
  let bytes: number | undefined
  try {
    await driver.freeze(boot.driverBootId)
    const directory = await imageDirectory(ports, options)
    bytes = (await driver.saveMemory({ bootId: boot.driverBootId, directory })).bytes
  } catch (error) {
    ports.logger.warn({ err: error, snapshotId, sandboxId: sandbox.sandboxId }, 'a snapshot is made without memory')
  }
  try {
    // After saving memory, during which the sandbox's kernel writes what it still held to the disk.
    await options.snapshot()
  } finally {
    await thawAfterSave(ports, boot)
  }
  const stallMs = performance.now() - frozenAt
  const isTooLarge = bytes !== undefined && bytes > plan.maxBytes
  const isWhole = bytes !== undefined && !isTooLarge && (await finish(ports, { ...options, bytes }))
  if (!isWhole) await removeMemory(ports, options)
  return { problem: isWhole ? null : isTooLarge ? 'too-large' : 'not-saved', stallMs }
}

/** The copy shares its data with the pause's image. */
async function copyPaused(
  ports: MemoriesPorts,
  options: SaveOptions & { plan: Extract<MemoryPlan, { of: 'paused' }> },
): Promise<SnapshotMemoryProblem | null> {
  const { sandbox, snapshotId } = options
  const { imageId, bytes } = options.plan.image
  try {
    await announce(ports, options)
    const from = await ports.disks.makeMemoryPlace({ diskId: sandbox.placeId, imageId })
    const target = await imageDirectory(ports, options)
    await cp(path.join(from.path, imageName), target, { recursive: true, mode: constants.COPYFILE_FICLONE })
    if (await finish(ports, { ...options, bytes })) return null
  } catch (error) {
    ports.logger.warn({ err: error, snapshotId, sandboxId: sandbox.sandboxId }, 'a snapshot is made without memory')
  }
  await removeMemory(ports, options)
  return 'not-saved'
}

async function announce(
  { store }: MemoriesPorts,
  { sandbox, snapshotId, plan }: SaveOptions & { plan: Exclude<MemoryPlan, { of: 'nothing' }> },
): Promise<void> {
  const { driverBootId, guestDirectory, accessToken } = plan.boot
  await store.insert({ snapshotId, sandboxId: sandbox.sandboxId, driverBootId, guestDirectory, accessToken })
}

async function imageDirectory({ disks }: MemoriesPorts, { sandbox, snapshotId }: SaveOptions): Promise<string> {
  const place = await disks.makeMemoryPlace({ diskId: sandbox.placeId, imageId: snapshotId })
  return path.join(place.path, imageName)
}

/** Returns false if it would not survive a power loss, so it is incomplete. */
async function finish(
  { disks, store, logger }: MemoriesPorts,
  { sandbox, snapshotId, bytes }: SaveOptions & { bytes: number },
): Promise<boolean> {
  try {
    await disks.syncMemoryPlace({ diskId: sandbox.placeId, imageId: snapshotId })
    await store.finish({ snapshotId, bytes })
    return true
  } catch (error) {
    logger.warn({ err: error, snapshotId, sandboxId: sandbox.sandboxId }, 'the memory of a snapshot cannot be kept')
    return false
  }
}

async function thawAfterSave({ driver, running, logger }: MemoriesPorts, boot: StoredBoot): Promise<void> {
  const status = await driver.inspect(boot.driverBootId)
  if (!canSaveMemory(driver) || status?.state !== 'running') return
  await driver.thaw(boot.driverBootId).catch(async (error: unknown) => {
    logger.error({ err: error, bootId: boot.bootId }, 'a boot whose memory was saved cannot continue')
    const detail = `It couldn’t continue after its memory was saved: ${reasonOf(error)}`
    await running.end(boot, { cause: 'unknown', detail })
  })
}

/** Files first: a row without files can be removed again, files without a row have no owner. */
async function removeMemory(
  { disks, store }: Pick<MemoriesPorts, 'disks' | 'store'>,
  { sandbox, snapshotId }: { sandbox: StoredSandbox; snapshotId: string },
): Promise<void> {
  await store.markRemoving(snapshotId)
  await disks.deleteMemoryPlace({ diskId: sandbox.placeId, imageId: snapshotId })
  await store.remove(snapshotId)
}

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DiskStore } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import { type Manifest, manifestSchema } from '@threadbox/protocol/guest'
import type { PausedSandbox } from '@threadbox/protocol/host'
import type { MemorySavingDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import { type ActiveBoots, guestOf } from '../../boots/launch/active-boots.ts'
import type { LaunchPorts } from '../../boots/launch/launch.ts'
import {
  noRoomForMemory,
  pauseAbandoned,
  pauseFailed,
  sandboxPaused,
  sandboxPausing,
} from '../../machine/errors/memory.errors.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'
import type { FrozenCopies } from './frozen-copies.ts'
import type { MemoryRoom } from './memory-room.ts'
import { allSettledOrThrow, discardImage, reasonOf, type SandboxBoot, savingDriver } from './memory-steps.ts'
import type { PausePoints } from './pause-points.ts'
import { makeStopwatch } from './stopwatch.ts'

/** What a pause needs. */
export type PausePorts = {
  launch: LaunchPorts
  running: Boots
  active: ActiveBoots
  disks: DiskStore
  network: SandboxNetwork
  images: MemoryImagesStore
  points: PausePoints
  frozen: FrozenCopies
  room: MemoryRoom
  logger: Logger
}

export type PauseOutcome = Omit<PausedSandbox, 'sandbox'>

export type PauseOptions = SandboxBoot & {
  hashKey: string | undefined
  /** Aborted when a caller needs the boot after all: the pause is canceled if that is faster than finishing it. */
  wanted?: AbortSignal
}

/** Name of the image in its directory; the manifest taken before it is beside it. */
export const imageName = 'image'
const manifestName = 'manifest.json'

/** A manifest takes a second on a busy machine; a guest that has not responded by then is paused without one. */
const manifestTimeoutMs = 8000
/** An image is a little larger than what it holds. */
const imageMarginBytes = 64 * 1024 * 1024

/**
 * Saves the memory of a boot and stops its clock. Between the saving and a wake no packet reaches the sandbox and
 * nothing is written to its disk, so that the two fit each other. If it throws, the boot keeps running as if nothing
 * had happened.
 */
export async function pauseBoot(ports: PausePorts, options: PauseOptions): Promise<PauseOutcome> {
  const { sandbox, boot, wanted } = options
  const { sandboxId, placeId } = sandbox
  const watch = makeStopwatch()
  const driver = await savingDriver(ports)
  await refuseWithoutSpace(ports, { driver, driverBootId: boot.driverBootId })
  const imageId = ports.launch.randomBytes(10).toString('hex')
  const createdAt = ports.launch.clock()
  const { version: driverVersion } = await driver.describe()
  const leftOver = await ports.images.find(sandboxId)
  if (leftOver !== undefined) await discardImage(ports, { placeId, imageId: leftOver.imageId })
  const announced = { sandboxId, imageId, bootId: boot.bootId, createdAt }
  await ports.images.insert({ ...announced, driverVersion })
  try {
    const { path: directory } = await ports.disks.makeMemoryPlace({ diskId: placeId, imageId })
    // Most of the data is written while the sandbox still runs and its guest makes the manifest.
    const [taken] = await allSettledOrThrow(
      watch.time('manifestMs', takeManifest(ports, options)),
      watch.time('firstSyncMs', ports.disks.syncDisk(placeId)),
    )
    refuseIfWanted(wanted)
    await ports.running.silence({ boot, reason: sandboxPausing({}) })
    const frozenAt = performance.now()
    await watch.time('freezeMs', driver.freeze(boot.driverBootId))
    // Nothing new is sent, and the sandbox's kernel still receives: data in flight would be lost with the image,
    // because connection timers are not saved and it would not be sent again.
    if (mayHaveOutsideConnections(taken.manifest)) await watch.time('settleMs', ports.network.settle(placeId))
    // Before the saving: what the frozen sandbox acknowledged after it would be missing in the image.
    await ports.network.setLink({ sandboxId: placeId, state: 'down' })
    const image = { bootId: boot.driverBootId, directory: path.join(directory, imageName) }
    const { bytes } = await watch.time('saveMs', driver.saveMemory(image))
    refuseIfWanted(wanted)
    // A caller that needs it from this point on waits for the end, and wakes the frozen copy.
    const savedAt = performance.now()
    if (taken.manifest !== null) await writeFile(path.join(directory, manifestName), JSON.stringify(taken.manifest))
    const marked = watch.time('snapshotMs', ports.points.mark(sandbox, { snapshotId: imageId, at: createdAt }))
    const [diskGeneration] = await allSettledOrThrow(
      // After the snapshot, which changes it.
      marked.then(() => watch.time('generationMs', ports.disks.diskGeneration(placeId))),
      watch.time('syncMs', ports.disks.syncMemoryPlace({ diskId: placeId, imageId })),
    )
    const stallMs = Math.max(savedAt - frozenAt, performance.now() - savedAt)
    const durationMs = watch.totalMs()
    const { manifestProblem } = taken
    const isPaused = await ports.images.finishPause({
      ...announced,
      diskGeneration,
      bytes,
      manifestProblem,
      stallMs,
      durationMs,
    })
    if (!isPaused) throw new Error('it ended while its memory was being saved')
    await markPaused(ports, { ...options, imageId })
    ports.points.dropEarlier(sandbox)
    ports.logger.info({ sandboxId, bootId: boot.bootId, bytes, ...watch.parts(), durationMs }, 'boot paused')
    return { ...taken, stallMs, durationMs }
  } catch (error) {
    const isRunning = await undoPause(ports, { sandbox, boot, imageId })
    if (isRunning && isErrorOf(pauseAbandoned, error)) throw error
    throw pauseFailed({ reason: reasonOf(error), isRunning }, { cause: error })
  }
}

/** Returns the result of the first order. */
export async function describePause(ports: PausePorts, { sandbox }: SandboxBoot): Promise<PauseOutcome> {
  const image = await ports.images.find(sandbox.sandboxId)
  if (image === undefined) return { manifest: null, manifestProblem: 'It is lost.', stallMs: 0, durationMs: 0 }
  const { manifestProblem, stallMs, durationMs } = image
  const { path: directory } = await ports.disks.makeMemoryPlace({ diskId: sandbox.placeId, imageId: image.imageId })
  const text = await readFile(path.join(directory, manifestName), 'utf8').catch(() => 'null')
  const manifest = manifestSchema.nullable().safeParse(JSON.parse(text)).data ?? null
  return { manifest, manifestProblem, stallMs, durationMs }
}

/**
 * Undoes a pause that failed or was interrupted, at any step. Returns false if the boot has ended: its end is then
 * recorded by its follower, or here.
 */
export async function undoPause(
  ports: PausePorts,
  { sandbox, boot, imageId }: SandboxBoot & { imageId: string },
): Promise<boolean> {
  const { sandboxId, placeId } = sandbox
  const isRunning = await resumeAfterFailedPause(ports, { sandbox, boot }).catch(async (error: unknown) => {
    ports.logger.error({ err: error, sandboxId }, 'a boot whose pause failed cannot continue')
    const detail = `The pause failed and the sandbox couldn’t continue: ${reasonOf(error)}`
    await ports.running.end(boot, { cause: 'unknown', detail })
    return false
  })
  if (!isRunning) await ports.active.setRefusal(sandboxId, undefined)
  await discardImage(ports, { placeId, imageId })
  return isRunning
}

async function resumeAfterFailedPause(ports: PausePorts, { sandbox, boot }: SandboxBoot): Promise<boolean> {
  const driver = await savingDriver(ports)
  const status = await driver.inspect(boot.driverBootId)
  if (status?.state !== 'running') return false
  await driver.thaw(boot.driverBootId)
  await ports.network.setLink({ sandboxId: sandbox.placeId, state: 'up' })
  await ports.running.serve({ sandbox, boot })
  return true
}

/** From this point on the end of what is frozen is not the end of the boot. */
async function markPaused(ports: PausePorts, options: SandboxBoot & { imageId: string }): Promise<void> {
  const { sandboxId, placeId } = options.sandbox
  const { bootId, driverBootId } = options.boot
  ports.running.unfollow(bootId)
  await ports.active.setRefusal(sandboxId, sandboxPaused({}))
  ports.frozen.keep({ sandboxId, bootId, driverBootId, placeId, imageId: options.imageId })
  await ports.room.relieve()
}

/** Tells whether it can have connections to other machines, as far as known. */
function mayHaveOutsideConnections(manifest: Manifest | null): boolean {
  return manifest?.connections.some(({ scope }) => scope === 'outside') ?? true
}

async function takeManifest(
  ports: PausePorts,
  { sandbox, hashKey }: SandboxBoot & { hashKey: string | undefined },
): Promise<{ manifest: Manifest | null; manifestProblem: string }> {
  const guest = ports.active.find(sandbox.sandboxId)
  if (guest === undefined) return { manifest: null, manifestProblem: 'The guest cannot be reached.' }
  const key = hashKey ?? sandbox.manifestKey ?? ports.launch.randomBytes(32).toString('hex')
  const signal = AbortSignal.any([guest.ended, AbortSignal.timeout(manifestTimeoutMs)])
  try {
    const manifest = await ports.launch.gateway.manifest({ guest: guestOf(guest), hashKey: key }, signal)
    return { manifest, manifestProblem: '' }
  } catch (error) {
    return { manifest: null, manifestProblem: reasonOf(error) }
  }
}

function refuseIfWanted(wanted: AbortSignal | undefined): void {
  if (wanted?.aborted) throw pauseAbandoned({})
}

/** Throws `sandbox.no-room-for-memory` if the pool has no space for the boot's memory. */
export async function refuseWithoutSpace(
  ports: Pick<PausePorts, 'disks'>,
  { driver, driverBootId }: { driver: MemorySavingDriver; driverBootId: string },
): Promise<void> {
  const status = await driver.inspect(driverBootId)
  const heldBytes = status?.state === 'running' ? (status.memoryBytes ?? 0) : 0
  const { totalBytes, usedBytes } = await ports.disks.poolUsage()
  const [neededBytes, availableBytes] = [heldBytes + imageMarginBytes, totalBytes - usedBytes]
  if (availableBytes < neededBytes) throw noRoomForMemory({ neededBytes, availableBytes })
}

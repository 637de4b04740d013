import { access } from 'node:fs/promises'
import path from 'node:path'
import type { DiskStore } from '@threadbox/disk-store'
import { makeId } from '@threadbox/domain'
import { isErrorOf, type ThreadboxError } from '@threadbox/errors'
import type { BootEndCause, MemoryProblem, WokenSandbox } from '@threadbox/protocol/host'
import { memoryUnusable as imageUnusable } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { ActiveBoots } from '../../boots/launch/active-boots.ts'
import type { LaunchPorts } from '../../boots/launch/launch.ts'
import { awaitGuest, type GuestOrigin } from '../../boots/launch/launch.ts'
import { memoryUnusable } from '../../machine/errors/memory.errors.ts'
import { guestEndedEarly, guestSilent } from '../../machine/errors/orders.errors.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { MemoryImagesStore, StoredImage } from '../../machine/state/memory-images.store.ts'
import type { FrozenCopies } from './frozen-copies.ts'
import type { MemoryRoom } from './memory-room.ts'
import {
  afterFirstCommand,
  allSettledOrThrow,
  discardImage,
  reasonOf,
  type SandboxBoot,
  savingDriver,
} from './memory-steps.ts'
import { imageName } from './pause.ts'
import type { PausePoints } from './pause-points.ts'
import { judgeSaved, restoreMarginBytes } from './saved-memory.ts'
import { makeStopwatch, type Stopwatch } from './stopwatch.ts'

/** What a wake needs. */
export type WakePorts = {
  launch: LaunchPorts
  running: Boots
  active: ActiveBoots
  disks: DiskStore
  network: SandboxNetwork
  boots: Pick<BootsStore, 'find'>
  images: MemoryImagesStore
  points: PausePoints
  frozen: FrozenCopies
  room: MemoryRoom
  logger: Logger
  /** Aborted when this process ends. */
  signal: AbortSignal
}

type Revival = SandboxBoot & { state: 'waking' | 'demoting'; watch: Stopwatch }

/**
 * Lets a paused boot continue and serve. If its memory cannot be used, it is dropped, the boot has ended, and the error
 * says why. If memory for it is short, everything stays unchanged.
 */
export async function resumePausedBoot(ports: WakePorts, options: SandboxBoot): Promise<Omit<WokenSandbox, 'sandbox'>> {
  const { sandbox, boot } = options
  const { sandboxId } = sandbox
  const watch = makeStopwatch()
  try {
    const { from, imageId } = await reviveBoot(ports, { ...options, state: 'waking', watch })
    await serveAgain(ports, { ...options, imageId })
    const durationMs = watch.totalMs()
    ports.logger.info({ sandboxId, bootId: boot.bootId, from, ...watch.parts(), durationMs }, 'boot woken')
    return { from, durationMs }
  } catch (error) {
    const unusable = await asUnusable(ports, { sandboxId, error })
    if (unusable === undefined) throw error
    await dropMemory(ports, { ...options, cause: 'stopped', detail: unusable.message })
    throw unusable
  }
}

/** Returns the error as the reason why memory is lost; undefined if the image can still be used. */
export async function asUnusable(
  ports: Pick<WakePorts, 'images'>,
  { sandboxId, error }: { sandboxId: string; error: unknown },
): Promise<ThreadboxError | undefined> {
  if (isErrorOf(memoryUnusable, error)) return error
  const image = await ports.images.find(sandboxId)
  if (image?.phase === 'ready') return undefined
  return memoryUnusable({ reason: 'restore-failed', detail: reasonOf(error) }, { cause: error })
}

/** The boot runs and its guest has responded: it is awake. The image was used, so it is removed. */
async function serveAgain(
  ports: WakePorts,
  { sandbox, boot, imageId }: SandboxBoot & { imageId: string },
): Promise<void> {
  await ports.images.finishWake(boot.bootId)
  const awake = await ports.boots.find(boot.bootId)
  if (awake !== undefined) await ports.running.serve({ sandbox, boot: awake })
  // Not awaited: the next pause or the next start can repeat it.
  discardUsedImage(ports, { sandbox, imageId }).catch((error: unknown) =>
    ports.logger.warn({ err: error, sandboxId: sandbox.sandboxId }, 'a memory image that was used is still there'),
  )
}

async function discardUsedImage(
  ports: WakePorts,
  { sandbox, imageId }: Pick<SandboxBoot, 'sandbox'> & { imageId: string },
): Promise<void> {
  if (await afterFirstCommand(ports.signal)) await discardImage(ports, { placeId: sandbox.placeId, imageId })
}

/** Discards what a paused sandbox has in memory. The disk is left alone. */
export async function dropMemory(
  ports: WakePorts,
  options: SandboxBoot & { cause: BootEndCause; detail: string },
): Promise<void> {
  const { sandbox, cause, detail } = options
  const { sandboxId, placeId } = sandbox
  await ports.frozen.take(sandboxId)
  // Its driver name can have changed since the order began.
  const boot = (await ports.boots.find(options.boot.bootId)) ?? options.boot
  await ports.running.end(boot, { cause, detail })
  await ports.active.setRefusal(sandboxId, undefined)
  const image = await ports.images.find(sandboxId)
  if (image !== undefined) await discardImage(ports, { placeId, imageId: image.imageId })
}

/**
 * Lets a paused boot continue, from its frozen copy or its image, and returns when its guest has responded. Until its
 * state changes again, no request reaches it. Throws `sandbox.memory-unusable`; other errors left the memory unchanged.
 */
export async function reviveBoot(
  ports: WakePorts,
  options: Revival,
): Promise<{ from: 'frozen' | 'memory'; imageId: string; boot: StoredBoot }> {
  const { sandbox, boot } = options
  const image = await ports.images.find(sandbox.sandboxId)
  if (image === undefined) throw memoryUnusable({ reason: 'missing', detail: 'No image is recorded.' })
  if (image.phase !== 'ready') throw memoryUnusable({ reason: 'consumed', detail: 'It was already used.' })
  if (await reviveFrozen(ports, options)) return { from: 'frozen', imageId: image.imageId, boot }
  return { from: 'memory', imageId: image.imageId, boot: await reviveFromImage(ports, { ...options, image }) }
}

/**
 * Returns false if no frozen copy exists, or it does not continue. The image is then used, which is still exact: a copy
 * that did not continue has changed nothing, and the disk's generation shows that.
 */
async function reviveFrozen(ports: WakePorts, options: Revival): Promise<boolean> {
  const { sandbox, boot, state } = options
  const { sandboxId } = sandbox
  const { bootId, driverBootId } = boot
  const copy = await ports.frozen.take(sandboxId)
  if (copy === undefined) return false
  const driver = await savingDriver(ports)
  // Durable before anything of it runs: after a crash it is unknown whether the copy has continued.
  await ports.images.consume({ sandboxId, bootId, driverBootId, state })
  try {
    await driver.setLimits({ bootId: driverBootId, limits: sandbox.limits })
    await options.watch.time('thawMs', driver.thaw(driverBootId))
  } catch (error) {
    ports.logger.warn({ err: error, sandboxId, bootId }, 'a frozen copy does not continue; its image is used')
    return false
  }
  await openLink(ports, options)
  await greet(ports, { ...options, origin: 'resumed' })
  return true
}

async function reviveFromImage(ports: WakePorts, options: Revival & { image: StoredImage }): Promise<StoredBoot> {
  const { sandbox, boot, state, image } = options
  const { sandboxId, placeId, limits } = sandbox
  const { bootId, hostname, guestDirectory } = boot
  const driver = await savingDriver(ports)
  const { watch } = options
  // The remains of a frozen copy that ended or did not continue.
  await watch.time('clearMs', driver.stop(boot.driverBootId))
  await driver.forget(boot.driverBootId)
  const { attachments, files, randomBytes } = ports.launch
  const attach = async () => {
    const { namespacePath, gatewayAddress } = await watch.time('networkMs', attachments.obtainSilent(sandbox))
    const mounts = await files.write({ sandboxId: placeId, hostname, gatewayAddress, guestDirectory })
    return { namespacePath, mounts }
  }
  // An unusable image is reported before any other failure.
  const [directory, { namespacePath, mounts }, { path: rootPath }] = await allSettledOrThrow(
    watch.time('judgeMs', judgeImage(ports, options)),
    attach(),
    ports.disks.getDisk(placeId),
  )
  const driverBootId = makeId('boot', randomBytes)
  const request = { bootId: driverBootId, sandboxId: placeId, hostname, rootPath, mounts, limits }
  const restored = { ...boot, driverBootId }
  const turn = Promise.withResolvers<void>()
  const waiting = watch.time('turnMs', turn.promise)
  await ports.launch.inTurn(async () => {
    turn.resolve()
    await waiting
    // Only now: earlier turns have taken their memory.
    await ports.room.ensure(image.bytes + restoreMarginBytes)
    // Durable before the restore: memory that ran once over this disk must never run over it again.
    await ports.images.consume({ sandboxId, bootId, driverBootId, state })
    try {
      const start = driver.startFromMemory({ ...request, networkNamespacePath: namespacePath, directory })
      await watch.time('restoreMs', start)
    } catch (error) {
      const known = isErrorOf(imageUnusable, error) ? (error.details.problem as MemoryProblem) : 'restore-failed'
      throw memoryUnusable({ reason: known, detail: reasonOf(error) }, { cause: error })
    }
  })
  await openLink(ports, options)
  await greet(ports, { ...options, boot: restored, origin: 'restored' })
  return restored
}

/** Returns the directory of a usable image. */
async function judgeImage(ports: WakePorts, options: Revival & { image: StoredImage }): Promise<string> {
  const { sandbox, boot, image } = options
  const { path: place } = await ports.disks.makeMemoryPlace({ diskId: sandbox.placeId, imageId: image.imageId })
  const directory = path.join(place, imageName)
  await judgeSaved(ports, { directory, guestDirectory: boot.guestDirectory })
  const changed = await diskProblem(ports, options)
  if (changed !== undefined) throw memoryUnusable({ reason: 'disk-changed', detail: changed })
  return directory
}

/** The generation tells quickly that nothing was written; if it does not, a full comparison can still tell. */
async function diskProblem(
  ports: WakePorts,
  { sandbox, image }: { sandbox: SandboxBoot['sandbox']; image: StoredImage },
): Promise<string | undefined> {
  try {
    await access((await ports.disks.getDisk(sandbox.placeId)).path)
    const now = await ports.disks.diskGeneration(sandbox.placeId)
    if (now === image.diskGeneration || (await ports.points.isUnchanged(sandbox))) return undefined
    return `The disk changed after the pause (generation ${image.diskGeneration}, now ${now}).`
  } catch (error) {
    return `Can’t check the disk: ${reasonOf(error)}`
  }
}

/** Raises the boot's network link. A boot woken for demotion (`state: 'demoting'`) gets no egress. */
async function openLink(ports: WakePorts, { sandbox, state, watch }: Revival): Promise<void> {
  const sandboxId = sandbox.placeId
  if (state === 'demoting') await ports.network.setEgress({ sandboxId, egress: { kind: 'none' } })
  await watch.time('linkMs', ports.network.setLink({ sandboxId, state: 'up' }))
}

async function greet(ports: WakePorts, options: Revival & { origin: GuestOrigin }): Promise<void> {
  const { sandbox, boot, origin } = options
  const { driverBootId, bootId, hostname, accessToken } = boot
  const greeting = { driverBootId, bootId, hostname, accessToken, allocation: sandbox, origin }
  try {
    await options.watch.time('guestMs', awaitGuest(ports.launch, greeting))
  } catch (error) {
    if (!isErrorOf(guestSilent, error) && !isErrorOf(guestEndedEarly, error)) throw error
    throw memoryUnusable({ reason: 'guest-silent', detail: error.message }, { cause: error })
  }
}

/** Finishes a wake that a crash interrupted: the boot from memory runs, and was not reported yet. */
export async function finishWake(ports: WakePorts, options: SandboxBoot & { imageId: string }): Promise<void> {
  const driver = await savingDriver(ports)
  const revival = { ...options, state: 'waking', watch: makeStopwatch() } as const
  await driver.thaw(options.boot.driverBootId)
  await openLink(ports, revival)
  await greet(ports, { ...revival, origin: 'restored' })
  await serveAgain(ports, options)
}

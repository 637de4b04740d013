import type { DiskStore } from '@threadbox/disk-store'
import type { NetworkAttachment, SandboxNetwork } from '@threadbox/sandbox-network'
import type { Boots } from '../../boots/boots/boots.ts'
import type { LaunchPorts } from '../../boots/launch/launch.ts'
import { awaitGuest } from '../../boots/launch/launch.ts'
import { memoryUnusable } from '../../machine/errors/memory.errors.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { MemoryRoom } from './memory-room.ts'
import { savingDriver } from './memory-steps.ts'
import { makeStopwatch, type Stopwatch } from './stopwatch.ts'

/** A memory image with what a boot that continues from it needs. */
export type SavedMemory = { directory: string; bytes: number; guestDirectory: string; accessToken: string }

export type SavedMemoryPorts = {
  launch: LaunchPorts
  running: Pick<Boots, 'serve'>
  disks: Pick<DiskStore, 'getDisk'>
  network: Pick<SandboxNetwork, 'setLink' | 'detach'>
  boots: BootsStore
  room: Pick<MemoryRoom, 'ensure'>
}

/** What the sandbox's own kernel takes beside the saved memory. */
export const restoreMarginBytes = 64 * 1024 * 1024

type RestoreOrder = {
  sandbox: StoredSandbox
  bootId: string
  hostname: string
  memory: SavedMemory
  /** Its network, if it is already being made; otherwise it is made here. */
  attachment?: Promise<NetworkAttachment> | undefined
  /** Records that the boot is ready, in place of `boots.markReady`, when its guest has responded. */
  markReady?: () => Promise<void>
  watch?: Stopwatch
}

/**
 * Starts a new boot of a sandbox from saved memory, over a disk that is an unchanged copy of the one it fits. Several
 * boots can come from one memory, so the guest is reseeded and shares nothing with another. If it throws, nothing of
 * the boot is left.
 */
export async function restoreFromMemory(ports: SavedMemoryPorts, order: RestoreOrder): Promise<void> {
  const { bootId } = order
  try {
    await restore(ports, order)
  } catch (error) {
    await ports.launch.driver.stop(bootId)
    await ports.launch.driver.forget(bootId)
    await ports.boots.remove(bootId)
    throw error
  }
  const ready = await ports.boots.find(bootId)
  if (ready !== undefined) await ports.running.serve({ sandbox: order.sandbox, boot: ready })
}

async function restore(ports: SavedMemoryPorts, order: RestoreOrder): Promise<void> {
  const { sandbox, bootId, hostname, memory, attachment, watch = makeStopwatch() } = order
  const { sandboxId, placeId, limits } = sandbox
  const { directory, guestDirectory } = memory
  const { launch } = ports
  const driver = await savingDriver(ports)
  await judgeSaved(ports, memory)
  const { namespacePath, gatewayAddress } = await (attachment ?? launch.attachments.obtainSilent(sandbox))
  const mounts = await launch.files.write({ sandboxId: placeId, hostname, gatewayAddress, guestDirectory })
  const { path: rootPath } = await ports.disks.getDisk(placeId)
  const accessToken = launch.randomBytes(32).toString('hex')
  const boot = { driverBootId: bootId, bootId, hostname, accessToken }
  const row = { ...boot, sandboxId, state: 'starting' as const, guestDirectory, diskRestoredFrom: null }
  await ports.boots.insert({ ...row, startedAt: launch.clock() })
  const request = { bootId, sandboxId: placeId, hostname, rootPath, mounts, limits }
  await launch.inTurn(async () => {
    await ports.room.ensure(memory.bytes + restoreMarginBytes)
    const start = driver.startFromMemory({ ...request, networkNamespacePath: namespacePath, directory })
    await watch.time('restoreMs', start)
  })
  await ports.network.setLink({ sandboxId: placeId, state: 'up' })
  const greeting = { ...boot, allocation: sandbox, origin: 'forked' as const, presentedToken: memory.accessToken }
  await watch.time('guestMs', awaitGuest(launch, greeting))
  await (order.markReady?.() ?? ports.boots.markReady(bootId))
}

/** Throws `sandbox.memory-unusable` if this machine cannot read the image, or no longer has its guest. */
export async function judgeSaved(
  ports: Pick<SavedMemoryPorts, 'launch'>,
  { directory, guestDirectory }: Pick<SavedMemory, 'directory' | 'guestDirectory'>,
): Promise<void> {
  const unfit = await (await savingDriver(ports)).judgeMemory(directory)
  if (unfit !== undefined) throw memoryUnusable({ reason: unfit.problem, detail: unfit.detail })
  if (await ports.launch.files.hasGuest(guestDirectory)) return
  const detail = `The guest version it started with (${guestDirectory}) no longer exists.`
  throw memoryUnusable({ reason: 'other-version', detail })
}

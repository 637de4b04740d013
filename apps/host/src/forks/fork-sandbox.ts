import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { NetworkAttachment } from '@threadbox/sandbox-network'
import { awaitGuest } from '../boots/launch.ts'
import { reasonOf, savingDriver } from '../memory/memory-parts.ts'
import type { Stopwatch } from '../memory/stopwatch.ts'
import type { StoredBoot } from '../state/boots.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import { copyContent, type ForkContent, type ForkParts } from './fork-content.ts'

/** What the sandbox's own kernel takes beside the memory that was saved. */
const restoreMarginBytes = 64 * 1024 * 1024

export type ForkOrder = {
  source: StoredSandbox
  sourceBoot: StoredBoot | undefined
  /** Recorded, with a row that says that it is being made. */
  fork: StoredSandbox
  snapshotId: string | undefined
  bootId: string
  hostname: string
  watch: Stopwatch
}

/**
 * Makes the disk of a fork, and lets it run where there is memory that fits. When it throws, what was made of the fork is
 * for the caller to remove, and the source goes on.
 */
export async function forkSandbox(
  parts: ForkParts,
  order: ForkOrder,
): Promise<Omit<ForkedSandbox, 'sandbox' | 'durationMs'>> {
  const { fork, bootId, sourceBoot, watch } = order
  const mayGoOn = sourceBoot !== undefined && order.snapshotId === undefined
  const attachment = mayGoOn ? watch.time('networkMs', parts.launch.attachments.obtainSilent(fork)) : undefined
  const [copied] = await Promise.allSettled([copyContent(parts, { ...order, boot: sourceBoot }), attachment])
  if (copied.status === 'rejected') throw copied.reason
  const content = copied.value
  const { memory, stallMs } = content
  if (memory === undefined) return { from: 'disk', problem: content.problem, stallMs }
  try {
    await goOn(parts, { ...order, memory, attachment })
    return { from: 'memory', problem: '', stallMs }
  } catch (error) {
    // Memory is a cache: the disk is whole, and the fork begins with that.
    parts.logger.warn({ error, sandboxId: fork.sandboxId }, 'the memory of a fork cannot be used')
    await parts.launch.driver.stop(bootId)
    await parts.launch.driver.forget(bootId)
    await parts.boots.remove(bootId)
    return { from: 'disk', problem: reasonOf(error), stallMs }
  }
}

/** The saved memory goes on over the disk of the fork, under its own address, name and token. */
async function goOn(
  parts: ForkParts,
  order: ForkOrder & {
    memory: NonNullable<ForkContent['memory']>
    attachment: Promise<NetworkAttachment> | undefined
  },
): Promise<void> {
  const { fork, bootId, hostname, memory, watch } = order
  const { sandboxId, placeId, limits } = fork
  const { guestDirectory } = memory.boot
  const { launch } = parts
  const driver = await savingDriver(parts)
  const { namespacePath, gatewayAddress } = await (order.attachment ?? launch.attachments.obtainSilent(fork))
  await launch.files.copySkills({ from: order.source.placeId, to: placeId })
  const mounts = await launch.files.write({ sandboxId: placeId, hostname, gatewayAddress, guestDirectory })
  const { path: rootPath } = await parts.disks.getDisk(placeId)
  const accessToken = launch.randomBytes(32).toString('hex')
  const boot = { driverBootId: bootId, bootId, hostname, accessToken }
  const row = { ...boot, sandboxId, state: 'starting' as const, guestDirectory, diskRestoredFrom: null }
  await parts.boots.insert({ ...row, startedAt: launch.clock() })
  const request = { bootId, sandboxId: placeId, hostname, rootPath, mounts, limits }
  await launch.inTurn(async () => {
    await parts.room.ensure(memory.bytes + restoreMarginBytes)
    const from = { networkNamespacePath: namespacePath, directory: memory.directory }
    await watch.time('restoreMs', driver.startFromMemory({ ...request, ...from }))
  })
  await parts.network.setLink({ sandboxId: placeId, state: 'up' })
  const presentedToken = memory.boot.accessToken
  await watch.time('guestMs', awaitGuest(launch, { ...boot, place: fork, origin: 'forked', presentedToken }))
  await parts.boots.markReady(bootId)
  const ready = await parts.boots.find(bootId)
  if (ready !== undefined) parts.running.serve({ sandbox: fork, boot: ready })
}

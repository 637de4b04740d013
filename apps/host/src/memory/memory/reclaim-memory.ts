import type { BootEndCause } from '@threadbox/protocol/host'
import { templatesPlace } from '../../boots/templates/boot-templates.ts'
import { sandboxPaused } from '../../machine/errors/memory.errors.ts'
import { openEgress } from './demote.ts'
import { discardImage, type MemoryParts, reasonOf, type SandboxBoot } from './memory-parts.ts'
import { undoPause } from './pause.ts'
import { dropMemory, finishWake } from './wake.ts'

/** What became of a boot that slept, or was about to, when the last daemon ended; undefined: it is an ordinary one. */
export type Reclaimed = 'paused' | 'running' | 'ended' | undefined

/**
 * Finishes or undoes what a daemon left when it ended at any moment. A pause that was not recorded is undone; one that
 * was is as it was, with the frozen copy if it is still there. A wake is finished when what came out of memory runs; if
 * not, that memory was used and is lost.
 */
export async function reclaimMemory(parts: MemoryParts, options: SandboxBoot): Promise<Reclaimed> {
  const { sandbox, boot } = options
  const image = await parts.images.find(sandbox.sandboxId)
  if (boot.state === 'paused') return await reclaimPaused(parts, options)
  if (boot.state === 'waking' && image !== undefined) {
    return await reclaimWake(parts, { ...options, imageId: image.imageId })
  }
  if (boot.state === 'waking' || boot.state === 'demoting') {
    const detail = 'The host daemon ended while the memory of the sandbox was being given up: it is lost.'
    const cause = await endCause(parts, options)
    await parts.launch.driver.stop(boot.driverBootId)
    await openEgress(parts, sandbox)
    await dropMemory(parts, { ...options, cause, detail })
    return 'ended'
  }
  if (image === undefined) return undefined
  if (boot.state === 'ready' && image.phase === 'saving') {
    await attach(parts, options)
    return (await undoPause(parts, { ...options, imageId: image.imageId })) ? 'running' : undefined
  }
  await discardImage(parts, { placeId: sandbox.placeId, imageId: image.imageId })
  return undefined
}

/** Images of boots that have ended, and files that no row names. */
export async function removeLeftOverImages(parts: MemoryParts): Promise<void> {
  const current = new Set((await parts.boots.listCurrent()).map(({ bootId }) => bootId))
  const known = new Set(await parts.keptMemories())
  for (const image of await parts.images.list()) {
    if (current.has(image.bootId)) known.add(image.imageId)
    else await parts.images.remove(image.imageId)
  }
  for (const place of await parts.disks.listMemoryPlaces()) {
    if (place.diskId !== templatesPlace && !known.has(place.imageId)) await parts.disks.deleteMemoryPlace(place)
  }
}

async function reclaimPaused(parts: MemoryParts, options: SandboxBoot): Promise<Reclaimed> {
  const { sandbox, boot } = options
  const { sandboxId, placeId } = sandbox
  const { bootId, driverBootId } = boot
  const { driver } = parts.launch
  const image = await parts.images.find(sandboxId)
  const status = await driver.inspect(driverBootId)
  if (status?.state === 'running' && image !== undefined) {
    // Its namespace has outlived the daemon, with its link down; what the daemon itself knew of it has not.
    await attach(parts, options)
    parts.frozen.keep({ sandboxId, bootId, driverBootId, placeId, imageId: image.imageId })
  } else {
    await driver.stop(driverBootId)
    await driver.forget(driverBootId)
  }
  parts.active.setRefusal(sandboxId, sandboxPaused({}))
  return 'paused'
}

async function reclaimWake(parts: MemoryParts, options: SandboxBoot & { imageId: string }): Promise<Reclaimed> {
  const status = await parts.launch.driver.inspect(options.boot.driverBootId)
  let detail = 'The host daemon ended while the sandbox was being woken: what it had in memory is lost.'
  if (status?.state === 'running') {
    try {
      await attach(parts, options)
      await finishWake(parts, options)
      return 'running'
    } catch (error) {
      detail = `${detail} ${reasonOf(error)}`
    }
  }
  await dropMemory(parts, { ...options, cause: await endCause(parts, options), detail })
  return 'ended'
}

async function endCause(parts: MemoryParts, { boot }: SandboxBoot): Promise<BootEndCause> {
  const status = await parts.launch.driver.inspect(boot.driverBootId)
  return status?.state === 'ended' ? status.cause : 'unknown'
}

async function attach(parts: MemoryParts, { sandbox }: SandboxBoot): Promise<void> {
  const { placeId: sandboxId, address, egress } = sandbox
  await parts.network.attach({ sandboxId, address, egress })
}

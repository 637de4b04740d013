import type { BootEndCause } from '@threadbox/protocol/host'
import { templatesPlace } from '../../boots/templates/boot-templates.ts'
import { sandboxPaused } from '../../machine/errors/memory.errors.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import { openEgress } from './demote.ts'
import { discardImage, reasonOf, type SandboxBoot } from './memory-steps.ts'
import { type PausePorts, undoPause } from './pause.ts'
import { dropMemory, finishWake, type WakePorts } from './wake.ts'

/** What finishing or undoing needs. */
export type ReclaimMemoryPorts = PausePorts & WakePorts

/** What removing left-overs needs. */
export type LeftOverPorts = Pick<WakePorts, 'images' | 'disks'> & {
  boots: Pick<BootsStore, 'listCurrent'>
  /** Names of memory image directories that pauses leave alone. */
  keptMemories: () => Promise<ReadonlySet<string>>
}

/** State of a boot that was paused, or about to be, when the last daemon ended; undefined: an ordinary boot. */
export type Reclaimed = 'paused' | 'running' | 'ended' | undefined

/**
 * Finishes or undoes what a daemon left when it ended at any moment. A pause that was not recorded is undone; a
 * recorded one stays, with the frozen copy if that still exists. A wake is finished if the boot from memory runs; if
 * not, that memory was used and is lost.
 */
export async function reclaimMemory(ports: ReclaimMemoryPorts, options: SandboxBoot): Promise<Reclaimed> {
  const { sandbox, boot } = options
  const image = await ports.images.find(sandbox.sandboxId)
  if (boot.state === 'paused') return await reclaimPaused(ports, options)
  if (boot.state === 'waking' && image !== undefined) {
    return await reclaimWake(ports, { ...options, imageId: image.imageId })
  }
  if (boot.state === 'waking' || boot.state === 'demoting') {
    const detail = 'The host daemon stopped while discarding the sandbox’s memory. The memory is lost.'
    const cause = await endCause(ports, options)
    await ports.launch.driver.stop(boot.driverBootId)
    await openEgress(ports, sandbox)
    await dropMemory(ports, { ...options, cause, detail })
    return 'ended'
  }
  if (image === undefined) return undefined
  if (boot.state === 'ready' && image.phase === 'saving') {
    await attach(ports, options)
    return (await undoPause(ports, { ...options, imageId: image.imageId })) ? 'running' : undefined
  }
  await discardImage(ports, { placeId: sandbox.placeId, imageId: image.imageId })
  return undefined
}

/** Removes images of boots that have ended, and files without a row. */
export async function removeLeftOverImages(ports: LeftOverPorts): Promise<void> {
  const current = new Set((await ports.boots.listCurrent()).map(({ bootId }) => bootId))
  const known = new Set(await ports.keptMemories())
  for (const image of await ports.images.list()) {
    if (current.has(image.bootId)) known.add(image.imageId)
    else await ports.images.remove(image.imageId)
  }
  for (const place of await ports.disks.listMemoryPlaces()) {
    if (place.diskId !== templatesPlace && !known.has(place.imageId)) await ports.disks.deleteMemoryPlace(place)
  }
}

async function reclaimPaused(ports: ReclaimMemoryPorts, options: SandboxBoot): Promise<Reclaimed> {
  const { sandbox, boot } = options
  const { sandboxId, placeId } = sandbox
  const { bootId, driverBootId } = boot
  const { driver } = ports.launch
  const image = await ports.images.find(sandboxId)
  const status = await driver.inspect(driverBootId)
  if (status?.state === 'running' && image !== undefined) {
    // Its namespace has outlived the daemon, with its link down; the daemon's own knowledge of it has not.
    await attach(ports, options)
    ports.frozen.keep({ sandboxId, bootId, driverBootId, placeId, imageId: image.imageId })
  } else {
    await driver.stop(driverBootId)
    await driver.forget(driverBootId)
  }
  await ports.active.setRefusal(sandboxId, sandboxPaused({}))
  return 'paused'
}

async function reclaimWake(ports: ReclaimMemoryPorts, options: SandboxBoot & { imageId: string }): Promise<Reclaimed> {
  const status = await ports.launch.driver.inspect(options.boot.driverBootId)
  let detail = 'The host daemon stopped while waking the sandbox. Its memory is lost.'
  if (status?.state === 'running') {
    try {
      await attach(ports, options)
      await finishWake(ports, options)
      return 'running'
    } catch (error) {
      detail = `${detail} ${reasonOf(error)}`
    }
  }
  await dropMemory(ports, { ...options, cause: await endCause(ports, options), detail })
  return 'ended'
}

async function endCause(ports: ReclaimMemoryPorts, { boot }: SandboxBoot): Promise<BootEndCause> {
  const status = await ports.launch.driver.inspect(boot.driverBootId)
  return status?.state === 'ended' ? status.cause : 'unknown'
}

async function attach(ports: ReclaimMemoryPorts, { sandbox }: SandboxBoot): Promise<void> {
  const { placeId: sandboxId, address, egress } = sandbox
  await ports.network.attach({ sandboxId, address, egress })
}

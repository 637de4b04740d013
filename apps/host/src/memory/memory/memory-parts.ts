import type { DiskStore } from '@threadbox/disk-store'
import { isThreadboxError } from '@threadbox/errors'
import { canSaveMemory, type MemorySavingDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { ActiveBoots } from '../../boots/launch/active-boots.ts'
import type { LaunchParts } from '../../boots/launch/launch.ts'
import { pauseUnsupported } from '../../machine/errors/memory.errors.ts'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { FrozenCopies } from './frozen-copies.ts'
import type { MemoryRoom } from './memory-room.ts'
import type { PausePoints } from './pause-points.ts'

/** What pausing, waking and demoting share. */
export type MemoryParts = {
  launch: LaunchParts
  running: Boots
  active: ActiveBoots
  disks: DiskStore
  network: SandboxNetwork
  boots: BootsStore
  images: MemoryImagesStore
  points: PausePoints
  frozen: FrozenCopies
  room: MemoryRoom
  events: HostEvents
  logger: Logger
  /** What memory images may take together before the server is asked to give some up. */
  imageBudgetBytes: () => Promise<number>
  /** Names of places that pauses have nothing to do with. */
  keptMemories: () => Promise<ReadonlySet<string>>
}

export type SandboxBoot = { sandbox: StoredSandbox; boot: StoredBoot }

export async function savingDriver({ launch }: Pick<MemoryParts, 'launch'>): Promise<MemorySavingDriver> {
  const { driver } = launch
  if (canSaveMemory(driver)) return driver
  throw pauseUnsupported({ driver: (await driver.describe()).name })
}

/** Files first: a row without files can be finished, files without a row belong to nobody. */
export async function discardImage(
  { disks, images }: Pick<MemoryParts, 'disks' | 'images'>,
  { placeId, imageId }: { placeId: string; imageId: string },
): Promise<void> {
  await disks.deleteMemoryPlace({ diskId: placeId, imageId })
  await images.remove(imageId)
}

/** All of them, done side by side. Fails when the last has ended: nothing is still at work while a failure is undone. */
export async function sideBySide<Values extends readonly unknown[]>(
  ...work: { [Index in keyof Values]: Promise<Values[Index]> }
): Promise<Values> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return (await Promise.all(work)) as unknown as Values
}

export function reasonOf(error: unknown): string {
  if (isThreadboxError(error)) return error.message
  return error instanceof Error ? error.message : String(error)
}

import { waitAtMost } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import { isThreadboxError } from '@threadbox/errors'
import { canSaveMemory, type MemorySavingDriver } from '@threadbox/sandbox-driver'
import type { LaunchPorts } from '../../boots/launch/launch.ts'
import { pauseUnsupported } from '../../machine/errors/memory.errors.ts'
import type { StoredBoot } from '../../machine/state/boots.store.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'

/** Most commands that a wake or a fork is for have ended by then. */
const firstCommandMs = 300

/**
 * For the removal of a used image, which takes a processor for as long as a command takes. False if the daemon ends first: the
 * next one removes the image.
 */
export async function afterFirstCommand(signal: AbortSignal): Promise<boolean> {
  return (await waitAtMost(firstCommandMs, { signal })) === 'late'
}

/** A boot and its sandbox. */
export type SandboxBoot = { sandbox: StoredSandbox; boot: StoredBoot }

export async function savingDriver({ launch }: { launch: Pick<LaunchPorts, 'driver'> }): Promise<MemorySavingDriver> {
  const { driver } = launch
  if (canSaveMemory(driver)) return driver
  throw pauseUnsupported({ driver: (await driver.describe()).name })
}

/** Files first: a row without files can be finished, files without a row have no owner. */
export async function discardImage(
  { disks, images }: { disks: Pick<DiskStore, 'deleteMemoryPlace'>; images: Pick<MemoryImagesStore, 'remove'> },
  { placeId, imageId }: { placeId: string; imageId: string },
): Promise<void> {
  await disks.deleteMemoryPlace({ diskId: placeId, imageId })
  await images.remove(imageId)
}

/**
 * Waits for all of them, in parallel. Throws after the last has ended: nothing is still at work while a failure is
 * undone.
 */
export async function allSettledOrThrow<Values extends readonly unknown[]>(
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

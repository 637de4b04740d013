import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Boots } from '../../boots/boots/boots.ts'
import type { BootFiles } from '../../boots/launch/boot-files.ts'
import type { Spares } from '../../boots/spares/spares.ts'
import type { Attachments } from '../../machine/network/attachments.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'

export type DeletePorts = {
  sandboxes: SandboxesStore
  boots: BootsStore
  running: Boots
  driver: SandboxDriver
  disks: DiskStore
  network: SandboxNetwork
  attachments: Attachments
  files: BootFiles
  spares: Spares
  paused: PausedBoots
}

/**
 * Deletes everything of a sandbox, in the order in which it is used. Can be called again after a crash, at any step.
 */
export async function deleteSandbox(ports: DeletePorts, sandbox: StoredSandbox): Promise<void> {
  const { sandboxId, placeId } = sandbox
  await ports.sandboxes.markDeleting(sandboxId)
  const boot = await ports.boots.current(sandboxId)
  if (boot !== undefined && isBootAsleep(boot)) await ports.paused.drop({ sandbox, boot, detail: 'It was deleted.' })
  else if (boot !== undefined) await ports.running.stop(boot)
  const waiting = ports.spares.claim(placeId)
  if (waiting !== undefined) {
    await ports.driver.stop(waiting.driverBootId)
    await ports.driver.forget(waiting.driverBootId)
  }
  ports.attachments.forget(placeId)
  await ports.network.detach(placeId)
  await ports.disks.deleteDisk(placeId)
  await ports.files.remove(placeId)
  await ports.sandboxes.remove(sandboxId)
}

import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxLimits } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Boots } from '../../boots/boots/boots.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'

export type ChangePorts = {
  sandboxes: SandboxesStore
  boots: BootsStore
  running: Boots
  disks: DiskStore
  network: SandboxNetwork
}

export async function changeSandbox(
  ports: ChangePorts,
  wanted: { sandbox: StoredSandbox; limits: SandboxLimits; egress: HostSandbox['egress'] },
): Promise<void> {
  const { sandbox, limits, egress } = wanted
  const { sandboxId, placeId } = sandbox
  const hasNewLimits = !isSame(limits, sandbox.limits)
  const hasNewEgress = !isSame(egress, sandbox.egress)
  if (!hasNewLimits && !hasNewEgress) return
  const boot = await ports.boots.current(sandboxId)
  // An archived disk gets its limit when it is restored.
  if (limits.diskBytes !== sandbox.limits.diskBytes && !sandbox.isArchived) {
    await ports.disks.setDiskLimit({ diskId: placeId, limitBytes: limits.diskBytes })
  }
  if (hasNewLimits && boot?.state === 'ready') await ports.running.setLimits({ sandbox, boot, limits })
  const isAttached = (await ports.network.list()).includes(placeId)
  if (hasNewEgress && isAttached) await ports.network.setEgress({ sandboxId: placeId, egress })
  await ports.sandboxes.change(sandboxId, { limits, egress })
  if (hasNewEgress && boot?.state === 'ready') {
    await ports.running.setEnvironment({ sandbox: { ...sandbox, limits, egress }, boot, before: sandbox.egress })
  }
}

/** Both were parsed by the same schema, so equal values have equal texts. */
function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

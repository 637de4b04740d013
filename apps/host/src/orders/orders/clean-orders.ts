import type { DiskStore } from '@threadbox/disk-store'
import { bootMismatch, type GatewayApi, sandboxNotRunning } from '@threadbox/protocol/gateway'
import type { HostApi } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Spares } from '../../boots/spares/spares.ts'
import { cleanDisk } from '../../copies/environments/clean-disk.ts'
import { diskInUse } from '../../copies/environments/environments.errors.ts'
import { preserveMemory } from '../../copies/environments/preserve-memory.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { Sealing } from '../../machine/state/sealing-key.ts'
import type { PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type CleanOrderPorts = {
  context: OrderContext
  disks: DiskStore
  sealing: Sealing
  boots: BootsStore
  paused: PausedBoots
  gateway: Pick<GatewayApi, 'forget'>
  spares: Pick<Spares, 'pauseRefillDuring'>
  logger: Logger
}

/** Orders that make disk and memory of a sandbox safe to hand to others. */
export function cleanOrders(ports: CleanOrderPorts): Pick<HostApi, 'clean' | 'preserve'> {
  const { context, boots } = ports
  const { lock, requireSandbox } = context
  return {
    clean: (sandboxId, { sealedSecrets, redact = [], withoutState = false }) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        if ((await boots.current(sandboxId)) !== undefined) throw diskInUse({ sandboxId })
        // Otherwise the removed parts of the disk would still exist at an earlier moment.
        await ports.paused.forgetPauses(sandbox)
        return (await cleanDisk(ports, { sandbox, sealedSecrets, redact, withoutState })).cleaned
      }),
    preserve: (sandboxId, { bootId, hashKey, redact = [], ...order }) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        const boot = await boots.current(sandboxId)
        if (boot === undefined) throw sandboxNotRunning({ sandboxId })
        if (boot.bootId !== bootId) throw bootMismatch({ sandboxId, bootId, currentBootId: boot.bootId })
        return await ports.spares.pauseRefillDuring(() =>
          preserveMemory(ports, { sandbox, boot, hashKey, redact, ...order }),
        )
      }),
  }
}

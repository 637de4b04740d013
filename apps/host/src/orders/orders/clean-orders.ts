import type { CleanedSandbox, PreservedSandbox, preserveSandboxSchema } from '@threadbox/protocol/host'
import type { z } from 'zod'
import { cleanDisk } from '../../copies/environments/clean-disk.ts'
import { diskInUse } from '../../copies/environments/environments.errors.ts'
import { preserveMemory } from '../../copies/environments/preserve-memory.ts'
import { otherBoot, sandboxNotRunning } from '../../machine/errors/orders.errors.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { OrdersParts } from './sandbox-orders.ts'

/** The order that makes the disk of a sandbox fit to be given to others. */
export type CleanOrders = {
  clean(
    sandboxId: string,
    order: { secrets: string[]; redact: { path: string; rule: string }[] },
  ): Promise<CleanedSandbox>
  /** The same, and of its memory too, which is kept unless something speaks against it. */
  preserve(sandboxId: string, order: z.output<typeof preserveSandboxSchema>): Promise<PreservedSandbox>
}

export function makeCleanOrders(
  parts: Pick<OrdersParts, 'lock' | 'disks' | 'boots' | 'paused' | 'spares' | 'logger'> & {
    known: (sandboxId: string) => Promise<StoredSandbox>
  },
): CleanOrders {
  const { lock, disks, boots, known } = parts
  return {
    clean: (sandboxId, order) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        if ((await boots.current(sandboxId)) !== undefined) throw diskInUse({ sandboxId })
        // Or what is taken off the disk would still be there as it was at an earlier moment.
        await parts.paused.forgetPauses(sandbox)
        return (await cleanDisk({ disks }, { sandbox, ...order })).cleaned
      }),
    preserve: (sandboxId, { bootId, hashKey, ...order }) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        const boot = await boots.current(sandboxId)
        if (boot === undefined) throw sandboxNotRunning({ sandboxId })
        if (boot.bootId !== bootId) throw otherBoot({ sandboxId, bootId, currentBootId: boot.bootId })
        return await parts.spares.holdOff(() => preserveMemory(parts, { sandbox, boot, hashKey, ...order }))
      }),
  }
}

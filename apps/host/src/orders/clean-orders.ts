import type { CleanedSandbox } from '@threadbox/protocol/host'
import { cleanDisk } from '../environments/clean-disk.ts'
import { diskInUse } from '../environments/environments.errors.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import type { OrdersParts } from './sandbox-orders.ts'

/** The order that makes the disk of a sandbox fit to be given to others. */
export type CleanOrders = {
  clean(
    sandboxId: string,
    order: { secrets: string[]; redact: { path: string; rule: string }[] },
  ): Promise<CleanedSandbox>
}

export function makeCleanOrders(
  parts: Pick<OrdersParts, 'lock' | 'disks' | 'boots' | 'paused'> & {
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
        return await cleanDisk({ disks }, { sandbox, ...order })
      }),
  }
}

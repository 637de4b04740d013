import type { KeyedLock } from '@threadbox/concurrency'
import type { HostApi } from '@threadbox/protocol/host'
import type { SleepingFiles } from '../../copies/sleeping/sleeping-files.ts'
import { type ChangePorts, changeSandbox } from '../sandboxes/change-sandbox.ts'
import { type CreatePorts, createSandbox } from '../sandboxes/create-sandbox.ts'
import { type DeletePorts, deleteSandbox } from '../sandboxes/delete-sandbox.ts'
import { makeOrderContext } from '../sandboxes/order-context.ts'
import { type ArchiveOrderPorts, archiveOrders } from './archive-orders.ts'
import { type CleanOrderPorts, cleanOrders } from './clean-orders.ts'
import { type DiskOrderPorts, diskOrders } from './disk-orders.ts'
import { type ForkOrderPorts, forkOrders } from './fork-orders.ts'
import { type MemoryOrderPorts, memoryOrders } from './memory-orders.ts'
import { type RewindOrderPorts, rewindOrders } from './rewind-orders.ts'
import { sandboxOrders } from './sandbox-orders.ts'
import { type SkillOrderPorts, skillOrders } from './skill-orders.ts'
import { sleepingOrders } from './sleeping-orders.ts'
import { type SnapshotOrderPorts, snapshotOrders } from './snapshot-orders.ts'
import { type StartPorts, startSandbox } from './start-sandbox.ts'
import { type ShutDownPorts, shutDownAll, stopSandbox } from './stop-sandboxes.ts'

/** Everything that the order modules need together; each declares its own part. */
type OrdersPorts = Omit<
  CreatePorts &
    DeletePorts &
    ChangePorts &
    StartPorts &
    ShutDownPorts &
    MemoryOrderPorts &
    SnapshotOrderPorts &
    SkillOrderPorts &
    ForkOrderPorts &
    RewindOrderPorts &
    CleanOrderPorts &
    ArchiveOrderPorts &
    DiskOrderPorts,
  'context' | 'remove'
> & { sleeping: SleepingFiles; lock: KeyedLock }

/**
 * The server's orders. Every order can be sent again. Orders about one sandbox run one after another, about different
 * sandboxes in parallel. An order that names a boot other than the current one is refused.
 */
export type Orders = Omit<HostApi, 'info' | 'machine' | 'doctor' | 'events' | 'trustAuthority'>

export function makeOrders(ports: OrdersPorts): Orders {
  const context = makeOrderContext(ports)
  const shared = {
    ...ports,
    context,
    remove: (sandbox: Parameters<CreatePorts['remove']>[0]) => deleteSandbox(ports, sandbox),
  }
  return {
    ...sandboxOrders({
      ...shared,
      create: (wanted) => createSandbox(shared, wanted),
      change: (wanted) => changeSandbox(ports, wanted),
      start: (order) => startSandbox(ports, order),
      stop: (order) => stopSandbox(ports, order),
    }),
    ...memoryOrders(shared),
    ...snapshotOrders(shared),
    ...skillOrders(shared),
    ...rewindOrders(shared),
    ...cleanOrders(shared),
    ...diskOrders(shared),
    ...archiveOrders(shared),
    ...forkOrders(shared),
    ...sleepingOrders(ports.sleeping),
    shutdown: (order) => shutDownAll(shared, order),
  }
}

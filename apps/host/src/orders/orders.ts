import { makeId } from '@threadbox/domain'
import type { HostApi } from '@threadbox/protocol/host'
import type { BootsArea } from '../boots/boots.ts'
import type { CopiesArea } from '../copies/copies.ts'
import { eventStream } from '../machine/events/event-stream.ts'
import type { MachineArea } from '../machine/machine.ts'
import type { ServingProcess } from '../machine/programs/router-process.ts'
import { openSealing } from '../machine/state/sealing-key.ts'
import type { MemoryArea } from '../memory/memory.ts'
import { makeDoctor } from './doctor/doctor.ts'
import { hostInfo } from './info/host-info.ts'
import { machineFigures } from './info/machine-figures.ts'
import { makeOrders } from './orders/orders.ts'
import { reclaim } from './reclaim/reclaim.ts'
import { deleteSandbox } from './sandboxes/delete-sandbox.ts'

export type OrdersOptions = {
  installation: string
  /** URL that the doctor fetches from inside a sandbox. */
  doctorUrl: string
  /** How fast a sandbox reads from the disk and writes to it, in MiB per second; 0: no limit. */
  sandboxDiskRate: number
  /** Those that serve sandboxes, without rights. */
  processes: readonly ServingProcess[]
  version: string
  files: { directory: string; guestDirectory: string }
  /** Where the private key is for what is sealed for programs of this host. */
  sealingKeyFile: string
}

/** The server's orders. */
export type OrdersArea = {
  api: HostApi
  /** Makes the machine agree with the records; no order is accepted before that. */
  reclaim(): Promise<void>
}

type Areas = { machine: MachineArea; boots: BootsArea; memory: MemoryArea; copies: CopiesArea }

export async function makeOrdersArea(known: Areas, options: OrdersOptions): Promise<OrdersArea> {
  const { machine, boots, memory, copies } = known
  const { driver, disks, network, attachments, addresses, images, events, skills, stores } = machine
  const { logger, clock, randomBytes, signal } = machine
  const { active, background, files, launch, running, resting, spares, allocations } = boots
  const { gateway } = launch
  const { paused, room, snapshots } = memory
  const sealing = await openSealing(options.sealingKeyFile, stores.facts)
  const place = {
    sandboxes: stores.sandboxes,
    boots: stores.boots,
    running,
    driver,
    disks,
    network,
    attachments,
    files,
    spares,
    allocations,
    background,
    paused,
    gateway,
    snapshots,
    forks: copies.forks,
    rewinds: copies.rewinds,
    archives: copies.archives,
    logger,
  }
  const orders = makeOrders({
    ...place,
    lock: resting.lock,
    addresses,
    images,
    skills,
    room,
    clock,
    sealing,
    sleeping: copies.sleeping,
  })
  const hostId = await stores.facts.obtain('hostId', () => makeId('host', randomBytes))
  const { version } = options
  const sharedDirectories = [options.files.directory, options.files.guestDirectory] as const
  return {
    api: {
      ...orders,
      ...hostInfo({ hostId, version, sealingKey: sealing.publicKey, disks, active, images, spares, paused }),
      ...machineFigures({ ...place, ...options, snapshots: stores.snapshots, room }),
      ...eventStream({ events, signal }),
      trustAuthority: async ({ certificate }) => {
        if (!(await files.trust(certificate))) return
        // They have mounted the bundle without it.
        while (await spares.discardOne());
        spares.refill()
      },
      ...makeDoctor({ ...options, sharedDirectories, orders, active, gateway, disks, driver, randomBytes, clock }),
    },
    reclaim: async () => {
      await Promise.all([files.prepare().then(() => skills.prepare()), disks.prepare()])
      await reclaim({
        ...place,
        settleDisk: async (sandbox) =>
          void (await (sandbox.isArchived ? copies.archives : copies.rewinds).reclaim(sandbox)),
        remove: (sandbox) => deleteSandbox(place, sandbox),
      })
      await boots.templates.reclaim()
    },
  }
}

import path from 'node:path'
import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Kysely } from 'kysely'
import { type HostEvents, makeHostEvents } from './events/host-events.ts'
import { type BaseImages, makeBaseImages } from './images/base-images.ts'
import { type AddressBook, makeAddressBook } from './network/address-book.ts'
import { type Attachments, makeAttachments } from './network/attachments.ts'
import { makeSkillPlaces, type SkillPlaces } from './skills/skill-places.ts'
import { makeBootsStore } from './state/boots.store.ts'
import { makeFactsStore } from './state/facts.store.ts'
import { makeForksStore } from './state/forks.store.ts'
import { makeMemoryImagesStore } from './state/memory-images.store.ts'
import { makePausePointsStore } from './state/pause-points.store.ts'
import { makeRewindsStore } from './state/rewinds.store.ts'
import { makeSandboxesStore } from './state/sandboxes.store.ts'
import { makeSnapshotMemoriesStore } from './state/snapshot-memories.store.ts'
import { makeSnapshotsStore } from './state/snapshots.store.ts'
import { makeSparesStore } from './state/spares.store.ts'
import type { StateTables } from './state/state.tables.ts'

export type MachineOptions = {
  driver: SandboxDriver
  disks: DiskStore
  network: SandboxNetwork
  networkPool: string
  database: Kysely<StateTables>
  /** Packages of skills are kept beside the files of boots. */
  files: { directory: string }
  /** Archive of the base image; see THREADBOX_IMAGE. */
  imageArchive: string
  logger: Logger
  clock: () => number
  randomBytes: (count: number) => Buffer
}

type Stores = ReturnType<typeof makeStores>

/** What boots are made of. */
export type MachineArea = Pick<MachineOptions, 'driver' | 'disks' | 'network' | 'logger' | 'clock' | 'randomBytes'> & {
  stores: Stores
  events: HostEvents
  images: BaseImages
  attachments: Attachments
  addresses: AddressBook
  skills: SkillPlaces
  /** Aborted when this process ends: boots keep running. */
  signal: AbortSignal
}

export function makeMachineArea(options: MachineOptions, { signal }: { signal: AbortSignal }): MachineArea {
  const { driver, disks, network, logger, clock, randomBytes } = options
  const stores = makeStores(options.database)
  const { sandboxes, spares, facts } = stores
  return {
    driver,
    disks,
    network,
    logger,
    clock,
    randomBytes,
    signal,
    stores,
    events: makeHostEvents(),
    images: makeBaseImages({
      archive: options.imageArchive,
      disks,
      neededImages: async () => (await sandboxes.list()).map(({ imageId }) => imageId),
      facts,
      logger,
      signal,
    }),
    attachments: makeAttachments(network),
    addresses: makeAddressBook({ sandboxes, spares, addresses: () => network.addresses(), pool: options.networkPool }),
    skills: makeSkillPlaces({ directory: path.join(options.files.directory, 'skill-packages'), clock }),
  }
}

function makeStores(database: Kysely<StateTables>) {
  return {
    facts: makeFactsStore(database),
    sandboxes: makeSandboxesStore(database),
    boots: makeBootsStore(database),
    spares: makeSparesStore(database),
    pausePoints: makePausePointsStore(database),
    memoryImages: makeMemoryImagesStore(database),
    snapshotMemories: makeSnapshotMemoriesStore(database),
    snapshots: makeSnapshotsStore(database),
    forks: makeForksStore(database),
    rewinds: makeRewindsStore(database),
  }
}

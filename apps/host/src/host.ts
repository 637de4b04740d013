import type { Server } from 'node:http'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { pLimit } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import { makeId } from '@threadbox/domain'
import { hostContract, serveHostApi } from '@threadbox/protocol/host'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Kysely } from 'kysely'
import { makeActivityWatch } from './boots/activity/activity-watch.ts'
import { makeDiskSpaceWatch } from './boots/activity/disk-space-watch.ts'
import { makeBoots } from './boots/boots/boots.ts'
import { makeGateway } from './boots/gateway/gateway.ts'
import { makeActiveBoots } from './boots/launch/active-boots.ts'
import { type BootFilesOptions, makeBootFiles } from './boots/launch/boot-files.ts'
import { makeSpares } from './boots/spares/spares.ts'
import { makeBootTemplates } from './boots/templates/boot-templates.ts'
import { makeForks } from './copies/forks/forks.ts'
import { makeRewinds } from './copies/rewinds/rewinds.ts'
import { makeSleepingFiles } from './copies/sleeping/sleeping-files.ts'
import { eventStream } from './machine/events/event-stream.ts'
import { makeHostEvents } from './machine/events/host-events.ts'
import { makeBaseImages } from './machine/images/base-images.ts'
import { makeAddressBook } from './machine/network/address-book.ts'
import { makeAttachments } from './machine/network/attachments.ts'
import { makeSkillPlaces } from './machine/skills/skill-places.ts'
import { makeBootsStore } from './machine/state/boots.store.ts'
import { makeFactsStore } from './machine/state/facts.store.ts'
import { makeForksStore } from './machine/state/forks.store.ts'
import { makeMemoryImagesStore } from './machine/state/memory-images.store.ts'
import { makePausePointsStore } from './machine/state/pause-points.store.ts'
import { makeRewindsStore } from './machine/state/rewinds.store.ts'
import { makeSandboxesStore } from './machine/state/sandboxes.store.ts'
import { makeSnapshotMemoriesStore } from './machine/state/snapshot-memories.store.ts'
import { makeSnapshotsStore } from './machine/state/snapshots.store.ts'
import { makeSparesStore } from './machine/state/spares.store.ts'
import type { StateTables } from './machine/state/state.tables.ts'
import { type MemoryOptions, makeMemory } from './memory/memory/memory.ts'
import { makeSnapshotMemories } from './memory/snapshots/snapshot-memories.ts'
import { makeSnapshots } from './memory/snapshots/snapshots.ts'
import { makeDoctor } from './orders/doctor/doctor.ts'
import { hostInfo } from './orders/info/host-info.ts'
import { makeOrders } from './orders/orders/orders.ts'
import { reclaim } from './orders/reclaim/reclaim.ts'
import { makeHostServer, makeOrdersApp } from './server.ts'

export type HostOptions = {
  driver: SandboxDriver
  disks: DiskStore
  network: SandboxNetwork
  networkPool: string
  database: Kysely<StateTables>
  files: BootFilesOptions
  /** Archive of the base image; see THREADBOX_IMAGE. */
  imageArchive: string
  guestEnvironment: Record<string, string>
  /** Sandboxes that are kept booted for whoever wants one next. */
  spareSandboxes: number
  /** Whether a Python kernel waits in each of them. */
  spareKernels: boolean
  memory: MemoryOptions
  /** Whether boots come out of a saved guest. */
  bootTemplates: boolean
  /** Share of one processor above which the programs of a sandbox count as at work. */
  activeCpuShare: number
  installation: string
  /** What the doctor fetches from inside a sandbox. */
  doctorUrl: string
  /** How long a guest may take until it answers. */
  readyTimeoutMs: number
  version: string
  logger: Logger
  clock: () => number
  randomBytes: (count: number) => Buffer
}

export type Host = {
  /** Reclaims and reconciles; after that it may serve. */
  prepare(): Promise<void>
  /** Unpacks the base image while the host already serves; until then no new sandbox can be made. */
  prepareImage(): Promise<void>
  makeServer(options: { token: string | undefined }): Server
  /** Lets go of everything; boots run on. */
  close(): Promise<void>
}

/** A start has moments in which it waits; and one that takes long, with much memory, must not be in everybody's way. */
const startsPerProcessor = 2

/** Puts the parts of the host daemon together. */
export async function makeHost(options: HostOptions): Promise<Host> {
  const { driver, disks, network, database, logger, clock, randomBytes } = options
  const closing = new AbortController()
  const { signal } = closing
  const facts = makeFactsStore(database)
  const sandboxes = makeSandboxesStore(database)
  const boots = makeBootsStore(database)
  const events = makeHostEvents()
  const active = makeActiveBoots((awakeSandboxes) => events.emit({ type: 'awake-changed', awakeSandboxes }))
  const files = makeBootFiles(options.files)
  const skills = makeSkillPlaces({ directory: path.join(options.files.directory, 'skill-packages'), clock })
  const images = makeBaseImages({ archive: options.imageArchive, disks, facts, logger, signal })
  const attachments = makeAttachments(network)
  const { guestEnvironment, readyTimeoutMs, networkPool: pool } = options
  const { guestDirectory: guestPath } = options.files
  const isEnabled = options.bootTemplates
  const templates = makeBootTemplates({ isEnabled, driver, disks, guestDirectory: guestPath, logger })
  const inTurn = pLimit(startsPerProcessor * availableParallelism())
  const launch = { driver, attachments, files, clock, randomBytes, guestEnvironment, readyTimeoutMs, templates, inTurn }
  const guestDirectory = path.basename(guestPath)
  const running = makeBoots({ launch, boots, active, events, logger, guestDirectory, signal })
  const store = makeSparesStore(database)
  const addresses = makeAddressBook({ sandboxes, spares: store, addresses: () => network.addresses(), pool })
  const count = options.spareSandboxes
  const waiting = { count, withKernels: options.spareKernels }
  const spares = makeSpares({ ...waiting, launch, disks, network, addresses, images, store, templates, logger, signal })
  const pausePoints = makePausePointsStore(database)
  const memoryImages = makeMemoryImagesStore(database)
  const memories = makeSnapshotMemories({
    driver,
    disks,
    boots,
    running,
    images: memoryImages,
    pausePoints,
    logger,
    store: makeSnapshotMemoriesStore(database),
  })
  const snapshotsStore = makeSnapshotsStore(database)
  const snapshots = makeSnapshots({ disks, memories, boots, store: snapshotsStore, pausePoints, clock, logger })
  const memory = makeMemory({
    options: options.memory,
    launch,
    running,
    active,
    boots,
    disks,
    network,
    spares,
    events,
    logger,
    signal,
    pausePoints,
    images: memoryImages,
    keptSnapshots: snapshots.idsOf,
    keptMemories: memories.places,
  })
  const { paused, room } = memory
  const goesOn = { launch, running, disks, network, boots, room, logger, memories }
  const forks = makeForks({
    ...goesOn,
    images: memoryImages,
    pausePoints,
    store: makeForksStore(database),
    sandboxes,
    addresses,
  })
  const rewinds = makeRewinds({ ...goesOn, paused, snapshots, addresses, sandboxes, store: makeRewindsStore(database) })
  const cpuShare = options.activeCpuShare
  const activity = makeActivityWatch({ active, events, cpuShare, logger, clock, signal })
  const diskIdOf = async (sandboxId: string) => (await sandboxes.find(sandboxId))?.placeId
  const space = makeDiskSpaceWatch({ active, disks, diskIdOf, logger, clock, signal })
  const place = {
    sandboxes,
    boots,
    running,
    driver,
    disks,
    network,
    attachments,
    files,
    skills,
    spares,
    paused,
    snapshots,
    forks,
    rewinds,
  }
  const sleeping = makeSleepingFiles({ sandboxes, boots, disks, paused })
  const orders = makeOrders({ ...place, addresses, images, room, logger, clock, sleeping })
  const gateway = makeGateway({ active, events, logger, clock })
  const hostId = await facts.obtain('hostId', () => makeId('host', randomBytes))

  const { installation, doctorUrl, version } = options
  const serve = serveHostApi(hostContract, {
    ...orders,
    ...hostInfo({ hostId, version, disks, active, images, spares, paused }),
    ...eventStream({ events, signal }),
    ...makeDoctor({ installation, doctorUrl, orders, active, disks, driver, randomBytes, clock }),
  })
  const app = makeOrdersApp({ serve, logger })
  return {
    prepare: async () => {
      await files.prepare()
      await skills.prepare()
      await reclaim({ ...place, logger })
      await templates.reclaim()
      memory.watch()
      activity.watch()
      space.watch()
    },
    prepareImage: async () => {
      await images.prepare()
      spares.refill()
    },
    makeServer: ({ token }) => makeHostServer({ app, gateway, token }),
    close: async () => {
      closing.abort(new Error('the host daemon is ending'))
      await database.destroy()
    },
  }
}

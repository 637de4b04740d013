import type { BootsArea } from '../boots/boots.ts'
import type { MachineArea } from '../machine/machine.ts'
import type { MemoryRoom } from './memory/memory-room.ts'
import type { PausedBoots } from './memory/paused-boots.ts'
import { type MemoryOptions, makePausing } from './memory/pausing.ts'
import { makeSnapshotMemories, type SnapshotMemories } from './snapshots/snapshot-memories.ts'
import { makeSnapshots, type Snapshots } from './snapshots/snapshots.ts'

/** Boots that are asleep with their memory, and snapshots that have memory. */
export type MemoryArea = {
  paused: PausedBoots
  room: MemoryRoom
  memories: SnapshotMemories
  snapshots: Snapshots
  /** Starts checking whether memory, or space for it, is short. */
  watch(): void
}

type Areas = { machine: MachineArea; boots: BootsArea }

export function makeMemoryArea({ machine, boots }: Areas, options: { memory: MemoryOptions }): MemoryArea {
  const { driver, disks, network, events, stores, logger, clock, signal } = machine
  const { launch, running, active, spares } = boots
  const { pausePoints, memoryImages: images } = stores
  const memories = makeSnapshotMemories({
    driver,
    disks,
    boots: stores.boots,
    running,
    images,
    pausePoints,
    logger,
    store: stores.snapshotMemories,
  })
  const snapshots = makeSnapshots({
    disks,
    memories,
    boots: stores.boots,
    store: stores.snapshots,
    pausePoints,
    clock,
    logger,
  })
  const pausing = makePausing({
    options: options.memory,
    launch,
    running,
    active,
    boots: stores.boots,
    disks,
    network,
    spares,
    events,
    logger,
    signal,
    pausePoints,
    images,
    keptSnapshots: snapshots.idsOf,
    keptMemories: memories.places,
  })
  return { paused: pausing.paused, room: pausing.room, memories, snapshots, watch: pausing.watch }
}

import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { ActiveBoots } from '../../boots/launch/active-boots.ts'
import type { LaunchPorts } from '../../boots/launch/launch.ts'
import type { Spares } from '../../boots/spares/spares.ts'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'
import type { PausePointsStore } from '../../machine/state/pause-points.store.ts'
import { makeBootMemory } from './boot-memory.ts'
import { type FrozenCopy, makeFrozenCopies } from './frozen-copies.ts'
import { type MemoryRoom, makeMemoryRoom, type ReadMemory } from './memory-room.ts'
import { makePausePoints } from './pause-points.ts'
import { makePausedBoots, type PausedBoots } from './paused-boots.ts'

export type MemoryOptions = {
  /** True if processes of paused sandboxes stay frozen in RAM while memory is free. */
  keepsFrozen: boolean
  /** Budget of memory images; 0: a sixth of the pool. */
  imageBudgetBytes: number
  /** Memory of the machine that is never given to sandboxes. */
  reserveBytes: number
  read: ReadMemory
}

/** Interval of checks whether memory is short, and whether images exceed their budget. */
const relieveEveryMs = 5000
const budgetEveryMs = 60_000

/** Wires what manages the memory of sandboxes, in RAM and on disk. */
export function makePausing(ports: {
  options: MemoryOptions
  launch: LaunchPorts
  running: Boots
  active: ActiveBoots
  boots: BootsStore
  disks: DiskStore
  network: SandboxNetwork
  spares: Spares
  pausePoints: PausePointsStore
  images: MemoryImagesStore
  /** Snapshots of a sandbox that pauses leave alone. */
  keptSnapshots: (sandboxId: string) => Promise<ReadonlySet<string>>
  keptMemories: () => Promise<ReadonlySet<string>>
  events: HostEvents
  logger: Logger
  signal: AbortSignal
}): { paused: PausedBoots; room: MemoryRoom; watch: () => void } {
  const { options, launch, disks, events, logger, signal, active, images } = ports
  const { driver, clock } = launch
  const { pausePoints: store, keptSnapshots } = ports
  const points = makePausePoints({ disks, store, keptSnapshots, logger })
  const onGone = ({ placeId, sandboxId }: FrozenCopy) => {
    // The wake does it otherwise.
    launch.attachments
      .prepareSilent(placeId)
      .catch((error: unknown) => logger.debug({ err: error, sandboxId }, 'a network was not prepared for a wake'))
  }
  const frozen = makeFrozenCopies({ driver, disks, images, events, logger, clock, onGone, signal })
  const room = makeMemoryRoom({
    readMemory: options.read,
    reserveBytes: options.reserveBytes,
    frozen,
    spares: ports.spares,
    bootMemory: makeBootMemory({ driver, boots: ports.boots, clock }),
    awake: () => active.count(),
    logger,
  })
  let poolBytes: number | undefined
  const imageBudgetBytes = async () => {
    if (options.imageBudgetBytes !== 0) return options.imageBudgetBytes
    poolBytes ??= (await disks.poolUsage()).totalBytes
    return Math.floor(poolBytes / 6)
  }
  const paused = makePausedBoots({
    launch,
    running: ports.running,
    active,
    disks,
    network: ports.network,
    boots: ports.boots,
    images,
    points,
    frozen,
    room,
    events,
    logger,
    imageBudgetBytes,
    keepsFrozen: options.keepsFrozen,
    keptMemories: ports.keptMemories,
    signal,
  })
  const repeat = (everyMs: number, work: () => Promise<void>) => {
    const timer = setInterval(() => {
      work().catch((error: unknown) => logger.warn({ err: error }, 'memory could not be checked'))
    }, everyMs)
    timer.unref()
    signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  }
  const watch = () => {
    repeat(relieveEveryMs, room.relieve)
    repeat(budgetEveryMs, paused.reportBudgetExceeded)
  }
  return { paused, room, watch }
}

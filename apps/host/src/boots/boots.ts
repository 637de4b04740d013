import { availableParallelism } from 'node:os'
import path from 'node:path'
import { pLimit, waitAtMost } from '@threadbox/concurrency'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { MachineArea } from '../machine/machine.ts'
import { type BackgroundWork, makeBackgroundWork } from '../machine/programs/background-work.ts'
import { makeActivityWatch } from './activity/activity-watch.ts'
import { makeDiskSpaceWatch } from './activity/disk-space-watch.ts'
import { type Allocations, makeAllocations } from './allocations/allocations.ts'
import { type Boots, makeBoots } from './boots/boots.ts'
import { watchGateway } from './gateway/gateway-watch.ts'
import { type ActiveBoots, makeActiveBoots } from './launch/active-boots.ts'
import { type BootFiles, type BootFilesOptions, makeBootFiles } from './launch/boot-files.ts'
import { makeGatewayClient } from './launch/gateway-client.ts'
import type { GuestEnvironment } from './launch/guest-environment.ts'
import type { LaunchPorts } from './launch/launch.ts'
import { makeRestingBoots, type RestingBoots } from './rest/resting-boots.ts'
import { makeSpares, type Spares, type SparesPorts } from './spares/spares.ts'
import { type BootTemplates, makeBootTemplates } from './templates/boot-templates.ts'

export type BootOptions = {
  files: BootFilesOptions
  guestEnvironment: GuestEnvironment
  /** The gateway’s socket for this process. */
  gatewayOrdersSocket: string
  /** Longest wait for a guest's first response. */
  readyTimeoutMs: number
  /** Number of booted sandboxes kept ready for the next threads. */
  spareSandboxes: number
  /** Number of disks with a network that are made ahead. */
  preparedAllocations: number
  /** Which of them get a Python kernel: see {@link SparesPorts}. */
  spareKernels: SparesPorts['kernels']
  /** True if boots start from a saved guest. */
  bootTemplates: boolean
  /** Share of one processor above which the programs of a sandbox count as active. */
  activeCpuShare: number
  /** How long nothing has used a boot that is then frozen, if nothing of its user runs; 0: none is. */
  freezeIdleMs: number
  /** True if the memory of such boots is compressed later. */
  compressesFrozen: boolean
}

/** Running guests and access to them. */
export type BootsArea = {
  active: ActiveBoots
  files: BootFiles
  launch: LaunchPorts
  running: Boots
  resting: RestingBoots
  background: BackgroundWork
  spares: Spares
  allocations: Allocations
  templates: Pick<BootTemplates, 'reclaim'>
  /**
   * Follows the gateway and the activity in sandboxes, and reports disk space to guests. Resolves when the gateway knows
   * the boots, or after a time limit without one: the daemon is then of use for all that needs none.
   */
  watch(): Promise<void>
}

/**
 * More starts than processors are no faster together, and slow down what people run: with twice as many, `true` in a thread
 * took 2.5 times as long while 12 others were started (`threadbox bench burst`). One with much memory must not block all
 * others.
 */
const parallelStarts = Math.max(2, availableParallelism())

/** Of the idle time before a boot is frozen: a boot that is used again soon isn’t compressed. */
const compressAfter = 2

/** It starts within half a second; on a busy machine it can take longer. */
const gatewayTimeoutMs = 10_000

export function makeBootsArea({ machine }: { machine: MachineArea }, options: BootOptions): BootsArea {
  const { driver, disks, network, attachments, addresses, images, events, stores } = machine
  const { logger, clock, randomBytes, signal } = machine
  const { guestDirectory } = options.files
  const gateway = makeGatewayClient({ socketPath: options.gatewayOrdersSocket, signal })
  const onCount = (awakeSandboxes: number) => events.emit({ type: 'awake-changed', awakeSandboxes })
  const active = makeActiveBoots({ gateway, onCount })
  const files = makeBootFiles(options.files)
  const templates = makeBootTemplates({ isEnabled: options.bootTemplates, driver, disks, guestDirectory, logger })
  const launch: LaunchPorts = {
    driver,
    gateway,
    attachments,
    files,
    clock,
    randomBytes,
    guestEnvironment: options.guestEnvironment,
    readyTimeoutMs: options.readyTimeoutMs,
    templates,
    inTurn: pLimit(parallelStarts),
  }
  const running = makeBoots({
    launch,
    boots: stores.boots,
    active,
    events,
    logger,
    guestDirectory: path.basename(guestDirectory),
    signal,
  })
  const background = makeBackgroundWork()
  const allocations = makeAllocations({
    count: options.preparedAllocations,
    background,
    disks,
    network,
    attachments,
    addresses,
    images,
    store: stores.spares,
    clock,
    randomBytes,
    logger,
  })
  const spares = makeSpares({
    allocations,
    background,
    count: options.spareSandboxes,
    kernels: options.spareKernels,
    launch,
    disks,
    network,
    images,
    store: stores.spares,
    templates,
    logger,
    signal,
  })
  const resting = makeRestingBoots({
    active,
    boots: stores.boots,
    running,
    driver,
    gateway,
    idleMs: options.freezeIdleMs,
    compressAfterMs: options.compressesFrozen ? compressAfter * options.freezeIdleMs : 0,
    background,
    logger,
    clock,
    signal,
  })
  return {
    active,
    files,
    launch,
    running,
    resting,
    background,
    spares,
    allocations,
    templates,
    watch: () => watchBoots({ machine, gateway, active, resting, spares }, options),
  }
}

/** Starts what runs for as long as this process does. */
async function watchBoots(
  parts: Pick<BootsArea, 'active' | 'resting' | 'spares'> & { machine: MachineArea; gateway: GatewayApi },
  options: BootOptions,
): Promise<void> {
  const { machine, gateway, active, resting } = parts
  const { events, disks, stores, logger, clock, signal } = machine
  const awake = { list: () => active.list().filter((boot) => !resting.isResting(boot)) }
  const ports = { active: awake, gateway, logger, clock, signal }
  const told = Promise.withResolvers<void>()
  const onTold = () => {
    told.resolve()
    resting.rouseAll()
  }
  const { notePython: onPython } = parts.spares
  void watchGateway({ gateway, active, events, logger, signal, onTold, onPython, onWanted: resting.wanted })
  makeActivityWatch({ ...ports, events, cpuShare: options.activeCpuShare }).watch()
  const diskIdOf = async (sandboxId: string) => (await stores.sandboxes.find(sandboxId))?.placeId
  makeDiskSpaceWatch({ ...ports, disks, diskIdOf }).watch()
  resting.watch()
  await waitAtMost(gatewayTimeoutMs, { work: told.promise, signal })
}

import { makeSerial } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import { defaultSandboxLimits, makeId, type SandboxLimits } from '@threadbox/domain'
import type { GuestAddress } from '@threadbox/protocol/gateway'
import { warmUpKey } from '@threadbox/protocol/guest'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { BaseImages } from '../../machine/images/base-images.ts'
import { type BackgroundWork, overdueAfterMs, pauseAfterMs } from '../../machine/programs/background-work.ts'
import { readMemory } from '../../machine/programs/machine-memory.ts'
import type { SparesStore } from '../../machine/state/spares.store.ts'
import type { Allocations } from '../allocations/allocations.ts'
import { greetGuest, type LaunchPorts, launchGuest, type WaitingBoot } from '../launch/launch.ts'
import type { BootTemplates } from '../templates/boot-templates.ts'
import { type KernelPolicy, makeSpareKernels } from './spare-kernels.ts'

/** A booted sandbox that has no owner yet and was never used. */
export type Spare = { placeId: string; address: string; imageId: string; limits: SandboxLimits; waiting: WaitingBoot }

/**
 * Booted sandboxes that wait for new threads, because a boot takes a hundred times as long as adopting one. Kept only
 * while memory is free.
 */
export type Spares = {
  /**
   * Returns a spare with this image and these limits, which then belongs to the new sandbox; undefined if none matches.
   */
  take(wanted: { sandboxId: string; imageId: string; limits: SandboxLimits }): Spare | undefined
  /** Returns, once, the boot that waits on an allocation that was taken. */
  claim(allocationId: string): WaitingBoot | undefined
  /** Runs `work` and pauses refilling until shortly after it ends, so that booting spares does not slow it down. */
  pauseRefillDuring<Result>(work: () => Promise<Result>): Promise<Result>
  /** Number of spares that wait and have everything ready, and how many of them have a kernel. */
  count(): number
  countKernels(): number
  /** Python ran in a sandbox: it becomes likely that the next threads use it too. */
  notePython(sandboxId: string): void
  /** Removes one that waits, because its memory is needed; returns false if none waits. */
  discardOne(): Promise<boolean>
  /** Starts the missing ones after a delay. */
  refill(): void
  /** Removes the spares of an earlier daemon. */
  reclaim(): Promise<void>
  /** Ends all spares and makes no more of them. */
  close(): Promise<void>
}

export type SparesPorts = {
  count: number
  kernels: KernelPolicy
  background: BackgroundWork
  allocations: Pick<Allocations, 'obtain' | 'remove'>
  launch: LaunchPorts
  disks: DiskStore
  network: SandboxNetwork
  images: BaseImages
  store: SparesStore
  templates: BootTemplates
  logger: Logger
  signal: AbortSignal
}

/** Spares are kept while this share of memory is available, because they are only a convenience. */
const freeMemoryShare = 0.2

export function makeSpares(ports: SparesPorts): Spares {
  const { background, launch, logger } = ports
  const ready = new Map<string, Spare>()
  // A spare can be taken before it is complete.
  const complete = new Set<string>()
  const kernels = makeSpareKernels({ policy: ports.kernels, onDue: () => refill(), launch, logger })
  const taken = new Map<string, WaitingBoot>()
  const removals = makeRemovals(ports)
  let limits = defaultSandboxLimits
  const filling = makeSerial()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const fill = async () => {
    for (;;) {
      await background.moment(overdueAfterMs)
      if (isClosed || !(await hasFreeMemory())) return
      if (ready.size < ports.count) {
        await makeTemplate(ports, limits).catch((error: unknown) =>
          logger.warn({ err: error }, 'no template could be made'),
        )
        const spare = await background.inTurn(() => makeSpare(ports, limits))
        ready.set(spare.placeId, spare)
        watch(spare).catch((error: unknown) =>
          logger.warn({ err: error }, 'a waiting sandbox that has ended could not be removed'),
        )
        continue
      }
      const kernel = await background.inTurn(() => kernels.giveNext([...ready.values()]))
      for (const id of ready.keys()) if (kernel !== 'given' || kernels.has(id)) complete.add(id)
      if (kernel !== 'given') return
    }
  }
  const leave = (allocationId: string) => {
    complete.delete(allocationId)
    kernels.forget(allocationId)
    return ready.delete(allocationId)
  }
  const watch = async (spare: Spare) => {
    const end = await launch.driver.waitForEnd(spare.waiting.driverBootId, ports.signal).catch(() => undefined)
    if (end === undefined || !leave(spare.placeId)) return
    logger.warn({ end }, 'a waiting sandbox has ended')
    await removals.remove(spare)
  }
  const refill = () => {
    if (isClosed || ports.count === 0 || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      filling(fill).catch((error: unknown) => logger.warn({ err: error }, 'no sandbox could be kept waiting'))
    }, pauseAfterMs)
  }
  const drop = async (spare: Spare) => {
    leave(spare.placeId)
    await removals.remove(spare)
  }
  return {
    take: (wanted) => {
      limits = wanted.limits
      kernels.began(wanted.sandboxId)
      refill()
      for (const spare of ready.values()) {
        if (spare.imageId === wanted.imageId && fits(spare.limits, wanted.limits)) {
          leave(spare.placeId)
          taken.set(spare.placeId, spare.waiting)
          return spare
        }
        void drop(spare).catch((error: unknown) =>
          logger.warn({ err: error }, 'a waiting sandbox could not be removed'),
        )
      }
      return undefined
    },
    claim: (allocationId) => {
      const waiting = taken.get(allocationId)
      taken.delete(allocationId)
      return waiting
    },
    pauseRefillDuring: background.holdOffDuring,
    count: () => complete.size,
    countKernels: () => [...complete].filter(kernels.has).length,
    notePython: kernels.used,
    discardOne: async () => {
      const spare = ready.values().next().value
      if (spare !== undefined) await drop(spare)
      return spare !== undefined
    },
    refill,
    reclaim: async () => {
      for (const row of await ports.store.list()) await removeAllocation(ports, row.placeId)
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      background.close()
      await filling.settled()
      await Promise.all([...ready.values()].map(drop))
      await removals.settled()
    },
  }
}

/** Removals of spares, so that a shutdown can await those that others began. */
function makeRemovals(ports: SparesPorts) {
  const pending = new Set<Promise<void>>()
  return {
    remove: async (spare: Spare): Promise<void> => {
      const removal = removeSpare(ports, spare)
      pending.add(removal)
      await removal.finally(() => pending.delete(removal))
    },
    /** Never rejects: who began a removal gets its error. */
    settled: async (): Promise<void> => void (await Promise.allSettled(pending)),
  }
}

/**
 * The first command in a guest takes longer than the next: code that has never run is compiled, files and memory are
 * touched for the first time. So the first one is not the user’s. Its shell stays for that of the user.
 */
async function warmUp({ gateway }: LaunchPorts, guest: GuestAddress): Promise<void> {
  await gateway.run({ guest, key: warmUpKey, command: ':', session: warmUpKey, timeoutMs: 10_000 })
}

/** Memory and processors are fixed at boot; the rest can be changed when a spare is taken. */
function fits(made: SandboxLimits, wanted: SandboxLimits): boolean {
  return made.memoryBytes === wanted.memoryBytes && made.cpus === wanted.cpus
}

async function makeAllocation(ports: SparesPorts, limits: SandboxLimits) {
  const { launch } = ports
  const imageId = await ports.images.current()
  const { diskBytes } = limits
  const { placeId: allocationId, address } = await ports.allocations.obtain({ imageId, diskBytes })
  const waiting = {
    driverBootId: makeId('boot', launch.randomBytes),
    hostname: `threadbox-${allocationId.slice(1, 9)}`,
    accessToken: launch.randomBytes(32).toString('hex'),
  }
  return { waiting, imageId, allocation: { placeId: allocationId, address, limits, egress: { kind: 'open' } as const } }
}

/** A boot whose guest has run commands, ended what is left of them, and forgotten its settings. */
async function makeTemplate(ports: SparesPorts, limits: SandboxLimits): Promise<void> {
  const { launch, disks, network } = ports
  await ports.templates.make({
    limits,
    boot: async (save) => {
      const { waiting, imageId, allocation } = await makeAllocation(ports, limits)
      const { driverBootId, hostname } = waiting
      const { placeId: allocationId } = allocation
      try {
        const disk = await disks.createDisk({ diskId: allocationId, imageId, limitBytes: limits.diskBytes })
        const { namespacePath, gatewayAddress } = await launch.attachments.obtain(allocation)
        const mounts = await launch.files.write({ sandboxId: allocationId, hostname, gatewayAddress })
        const request = { bootId: driverBootId, sandboxId: allocationId, hostname, rootPath: disk.path, mounts, limits }
        await launch.driver.start({ ...request, networkNamespacePath: namespacePath })
        const signal = AbortSignal.timeout(launch.readyTimeoutMs)
        await greetGuest(launch, { ...waiting, bootId: driverBootId, allocation, signal })
        const { accessToken } = waiting
        const guest = { address: allocation.address, accessToken }
        await warmUp(launch, guest)
        await launch.gateway.becomeTemplate({ guest }, signal)
        await network.setLink({ sandboxId: allocationId, state: 'down' })
        await save(driverBootId)
      } finally {
        await removeSpare(ports, { placeId: allocationId, waiting })
      }
    },
  })
}

async function makeSpare(ports: SparesPorts, limits: SandboxLimits): Promise<Spare> {
  const { launch, disks } = ports
  const { waiting, imageId, allocation } = await makeAllocation(ports, limits)
  const { placeId: allocationId, address } = allocation
  const { driverBootId } = waiting
  try {
    const disk = await disks.createDisk({ diskId: allocationId, imageId, limitBytes: limits.diskBytes })
    await launchGuest(launch, { ...waiting, bootId: driverBootId, allocation, diskPath: disk.path })
    await warmUp(launch, { address, accessToken: waiting.accessToken })
    return { placeId: allocationId, address, imageId, limits, waiting }
  } catch (error) {
    await removeSpare(ports, { placeId: allocationId, waiting })
    throw error
  }
}

async function removeSpare(ports: SparesPorts, { placeId: allocationId, waiting }: Pick<Spare, 'placeId' | 'waiting'>) {
  await ports.launch.driver.stop(waiting.driverBootId)
  await ports.launch.driver.forget(waiting.driverBootId)
  await removeAllocation(ports, allocationId)
}

async function removeAllocation({ launch, allocations }: SparesPorts, allocationId: string): Promise<void> {
  await launch.files.remove(allocationId)
  await allocations.remove(allocationId)
}

async function hasFreeMemory(): Promise<boolean> {
  const { totalBytes, availableBytes } = await readMemory()
  return availableBytes > totalBytes * freeMemoryShare
}

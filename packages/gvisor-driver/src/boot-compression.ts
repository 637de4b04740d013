import { makeSingleFlight } from '@threadbox/concurrency'
import type { CompressionProblem, MemoryCompression } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { reasonOf } from './boot-memory.ts'
import type { CgroupTree } from './cgroup-tree.ts'
import { type KernelPlaces, kernelPlaces, listSwaps } from './swaps.ts'
import type { ZramDevice } from './zram-device.ts'

/** Moves the memory of frozen boots to swap in compressed RAM. Never throws: a boot that isn’t compressed is only larger. */
export type BootCompression = {
  compress(options: { bootId: string; signal: AbortSignal }): Promise<void>
  state(): Promise<MemoryCompression>
}

type Problem = { problem: CompressionProblem; detail: string }
type CompressionPorts = {
  isEnabled: boolean
  device: ZramDevice
  cgroups: Pick<CgroupTree, 'swapOut' | 'usage' | 'canForbidSwap'>
  logger: Pick<Logger, 'debug' | 'warn'>
  /** Only tests set it. */
  places?: KernelPlaces
}

export function makeBootCompression(ports: CompressionPorts): BootCompression {
  const { isEnabled, device, cgroups, logger, places = kernelPlaces } = ports
  const preparation = makeSingleFlight()
  let latest: Problem | undefined
  const note = (found: Problem | undefined) => {
    if (found !== undefined && found.problem !== latest?.problem) {
      logger.warn(found, 'memory of idle sandboxes is not compressed')
    }
    latest = found
  }
  return {
    compress: async ({ bootId, signal }) => {
      if (!isEnabled) return
      try {
        const other = await findOtherSwap(places)
        if (other !== undefined) return note(other)
        await preparation.join('device', device.ensure)
        const before = await cgroups.usage(bootId)
        const full = await findFull(device, (before.memoryBytes ?? 0) - before.swappedBytes)
        if (full !== undefined || signal.aborted) return note(full)
        const startedAt = performance.now()
        await cgroups.swapOut({ bootId, signal })
        const { swappedBytes } = await cgroups.usage(bootId)
        const durationMs = performance.now() - startedAt
        const isCanceled = signal.aborted
        logger.debug({ bootId, swappedBytes, durationMs, isCanceled }, 'memory of an idle sandbox was compressed')
        note(
          swappedBytes === 0 && !isCanceled
            ? { problem: 'unavailable', detail: 'the kernel compressed nothing' }
            : undefined,
        )
      } catch (error) {
        note({ problem: 'unavailable', detail: reasonOf(error) })
      }
    },
    state: async () => {
      if (!isEnabled) return { state: 'off' }
      const earlier = latest?.problem === 'other-swap' ? undefined : latest
      const found = (await findOtherSwap(places)) ?? earlier
      if (found !== undefined) return { state: 'impossible', ...found }
      const swap = await device.find()
      const { usedBytes: heldBytes, storedBytes } = swap ?? { usedBytes: 0, storedBytes: 0 }
      return { state: 'possible', heldBytes, storedBytes, maySwapRunning: !cgroups.canForbidSwap }
    },
  }
}

/** Memory of a sandbox must not be found on a disk. */
async function findOtherSwap(places: KernelPlaces): Promise<Problem | undefined> {
  const others = (await listSwaps(places)).filter(({ isInRam }) => !isInRam)
  if (others.length === 0) return undefined
  return { problem: 'other-swap', detail: others.map(({ file }) => file).join(', ') }
}

async function findFull(device: ZramDevice, neededBytes: number): Promise<Problem | undefined> {
  const swap = await device.find()
  if (swap === undefined) return { problem: 'unavailable', detail: 'the swap in compressed memory is gone' }
  const { usedBytes, storedBytes, freeBytes } = swap
  if (freeBytes >= neededBytes) return undefined
  return { problem: 'full', detail: `${usedBytes} bytes are compressed to ${storedBytes}` }
}

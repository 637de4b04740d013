import { type DueLoop, makeDueLoop } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import { openReserveBytes, type PoolReserves } from './pool-reserves.logic.ts'
import type { Volumes } from './volumes.ts'

/**
 * With more to spare than this, disks can write 400 MB/s for the 10 s until the next pass before they reach a limit that
 * is half of it.
 */
const nearBytes = 8 * 1024 * 1024 * 1024
const nearMs = 1000
const farMs = 10_000

/** Keeps the open reserve free of what no quota counts, as long as it runs. */
export function makeReserveLoop(options: {
  volumes: Volumes
  reserves: PoolReserves
  usedMemoryBytes: () => Promise<number>
  logger: Logger
}): DueLoop {
  const { volumes, reserves, usedMemoryBytes, logger } = options
  return makeDueLoop({
    now: () => performance.now(),
    minMs: nearMs,
    maxMs: farMs,
    retryMs: farMs,
    failed: (error) => logger.error({ err: error }, 'the limit of all disks could not be set; it stays as it was'),
    async check() {
      const [space, memoryBytes] = await Promise.all([volumes.space(), usedMemoryBytes()])
      const keepFreeBytes = openReserveBytes({ reserves, imageBytes: space.imageBytes, memoryBytes })
      await volumes.keepFree(keepFreeBytes)
      const isNear = space.availableBytes - keepFreeBytes < nearBytes
      return performance.now() + (isNear ? nearMs : farMs)
    },
  })
}

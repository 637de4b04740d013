import { makeSerial } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import type { Spares } from '../../boots/spares/spares.ts'
import { hostNoMemory } from '../../machine/errors/memory.errors.ts'
import type { BootMemory } from './boot-memory.ts'
import type { FrozenCopies } from './frozen-copies.ts'

export type ReadMemory = () => Promise<{ totalBytes: number; availableBytes: number }>

/** The machine's memory for sandboxes that are to run. Conveniences are discarded for it; an awake sandbox never is. */
export type MemoryRoom = {
  /** Returns when this much is free beside the reserve. Throws `host.no-memory` if it cannot be freed. */
  ensure(neededBytes: number): Promise<void>
  /** The same for a boot that starts without a saved memory. */
  ensureForStart(): Promise<void>
  /**
   * How many more boots would be admitted, one after another, if each takes what it is admitted with and `discardableBytes` of
   * spares and frozen copies are discarded for them.
   */
  roomForBoots(discardableBytes: number): Promise<number>
  /** Evicts frozen copies while memory is short. */
  relieve(): Promise<void>
}

/** Frozen copies are kept while this share of memory is available: they are only a convenience. */
const freeMemoryShare = 0.1

export function makeMemoryRoom(ports: {
  readMemory: ReadMemory
  /** Memory that is never given to sandboxes. */
  reserveBytes: number
  frozen: FrozenCopies
  spares: Pick<Spares, 'discardOne'>
  bootMemory: BootMemory
  awake: () => number
  logger: Logger
}): MemoryRoom {
  const { readMemory, reserveBytes, frozen, logger } = ports
  // One at a time: two that read the same free memory would both count it as theirs and evict too little.
  const serial = makeSerial()
  const ensure = async (neededBytes: number) => {
    for (;;) {
      const { availableBytes } = await readMemory()
      if (availableBytes - neededBytes >= reserveBytes) return
      if (await ports.spares.discardOne()) continue
      if (await frozen.evictOldest()) continue
      throw hostNoMemory({
        neededBytes,
        availableBytes: Math.max(0, availableBytes - reserveBytes),
        awakeSandboxes: ports.awake(),
      })
    }
  }
  return {
    ensure: (neededBytes) => serial(() => ensure(neededBytes)),
    ensureForStart: () => serial(async () => ensure(await ports.bootMemory.neededBytes())),
    roomForBoots: async (discardableBytes) => {
      const [{ availableBytes }, neededBytes] = await Promise.all([readMemory(), ports.bootMemory.neededBytes()])
      return Math.max(0, Math.floor((availableBytes + discardableBytes - reserveBytes) / neededBytes))
    },
    relieve: async () => {
      while (frozen.count() > 0) {
        const { totalBytes, availableBytes } = await readMemory()
        if (availableBytes >= Math.max(totalBytes * freeMemoryShare, reserveBytes)) return
        logger.info({ availableBytes }, 'memory is short: a frozen copy is evicted')
        await frozen.evictOldest()
      }
    },
  }
}

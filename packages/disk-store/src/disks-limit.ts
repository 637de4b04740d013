import { makeSerial } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import { btrfs, fileSystemUuid } from './btrfs-commands.ts'
import { diskBudgetBytes, disksLimitBytes, type PoolReserves } from './pool-reserves.logic.ts'
import type { VolumeSpace } from './volumes.ts'

/** A change of the limit starts a program; a smaller change is left to a later call. */
const smallestChangeBytes = 4 * 1024 * 1024

/** The limit of the group of level 2 that holds all disks. One change at a time. */
export function makeDisksLimit(options: {
  root: string
  groupId: string
  reserves: PoolReserves
  space: () => Promise<VolumeSpace>
  logger: Logger
}) {
  const { root, groupId, reserves, logger } = options
  const serial = makeSerial()
  let known: Promise<string> | undefined
  const uuid = () => {
    known ??= fileSystemUuid(root)
    return known
  }
  const readGroup = async () => btrfs.groupNow({ uuid: await uuid(), groupId })
  let keepFreeBytes: number | undefined
  let isLowered = false

  const say = ({ limitBytes, budgetBytes }: { limitBytes: number; budgetBytes: number }) => {
    if (isLowered === limitBytes < budgetBytes) return
    isLowered = !isLowered
    if (isLowered) logger.warn({ limitBytes, budgetBytes }, 'the disks may hold less: the tables of the pool take more')
    else logger.info({ limitBytes }, 'the disks may hold their whole budget again')
  }
  const set = async () => {
    const space = await options.space()
    const now = await readGroup()
    const budgetBytes = diskBudgetBytes({ reserves, space })
    let limitBytes = budgetBytes
    // Before the first call with a number, and on kernels that don’t show groups, the budget is the limit.
    if (keepFreeBytes !== undefined && now !== undefined) {
      const tables = await btrfs.tableRoom({ uuid: await uuid(), totalBytes: space.totalBytes })
      const spareBytes = space.availableBytes - keepFreeBytes
      limitBytes = disksLimitBytes({ budgetBytes, heldBytes: now.writtenBytes, spareBytes, tables })
    }
    say({ limitBytes, budgetBytes })
    const changeBytes = Math.abs(limitBytes - (now?.limitBytes ?? 0))
    if (changeBytes === 0 || (changeBytes < smallestChangeBytes && limitBytes !== budgetBytes)) return
    await btrfs.limitGroup({ path: root, groupId, limitBytes, exclusive: false })
  }
  return {
    /** What all disks together hold and can still write. Undefined where the kernel doesn’t show it. */
    async held(): Promise<{ bytes: number; roomBytes: number } | undefined> {
      const now = await readGroup()
      if (now === undefined) return undefined
      const roomBytes = now.limitBytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, now.limitBytes - now.bytes)
      return { bytes: now.bytes, roomBytes }
    },
    /** Sets the limit for the space that is free now. `keepFreeBytes` holds until the next call with another. */
    set: (change?: { keepFreeBytes: number }) =>
      serial(async () => {
        keepFreeBytes = change?.keepFreeBytes ?? keepFreeBytes
        await set()
      }),
  }
}

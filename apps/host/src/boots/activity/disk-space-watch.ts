import { makeSingleFlight } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { Logger } from '@threadbox/telemetry'
import type { ActiveBoot, ActiveBoots } from '../launch/active-boots.ts'
import { tellDiskSpace } from '../launch/guest-requests.ts'

/** `df` inside shows values at most this old, plus the time of one request. */
const lookEveryMs = 2000
const answerTimeoutMs = 5000
/** A guest that could not be reached, or is older than this route, is tried again after this time. */
const againAfterMs = 20_000

/**
 * Sends every serving guest the used and total space of its disk whenever they change: inside, `statfs` shows the pool.
 * Sends nothing to a sandbox that writes nothing.
 */
export type DiskSpaceWatch = {
  watch(): void
  look(): Promise<void>
}

type Told = { diskId: string; said: string; failedAt: number | undefined }

export function makeDiskSpaceWatch(ports: {
  active: Pick<ActiveBoots, 'list'>
  disks: Pick<DiskStore, 'diskUsage'>
  /** Undefined if the sandbox no longer exists. */
  diskIdOf(sandboxId: string): Promise<string | undefined>
  logger: Logger
  clock: () => number
  signal: AbortSignal
}): DiskSpaceWatch {
  const { active, disks, logger, clock, signal } = ports
  const told = new WeakMap<AbortSignal, Told>()

  const tell = async (boot: ActiveBoot) => {
    const before = told.get(boot.ended)
    if (before?.failedAt !== undefined && clock() - before.failedAt < againAfterMs) return
    const diskId = before?.diskId ?? (await ports.diskIdOf(boot.sandboxId))
    if (diskId === undefined) return
    const { usedBytes, limitBytes } = await disks.diskUsage(diskId)
    const said = `${usedBytes}/${limitBytes}`
    if (limitBytes < 1 || (before?.said === said && before.failedAt === undefined)) return
    const stop = AbortSignal.any([boot.ended, signal, AbortSignal.timeout(answerTimeoutMs)])
    const now: Told = { diskId, said, failedAt: clock() }
    told.set(boot.ended, now)
    await tellDiskSpace(boot, { space: { usedBytes, limitBytes }, signal: stop })
    now.failedAt = undefined
  }
  const look = async () => {
    const tellOne = (boot: ActiveBoot) =>
      tell(boot).catch((error: unknown) => {
        if (!boot.ended.aborted)
          logger.debug({ err: error, bootId: boot.bootId }, 'a guest was not told its disk space')
      })
    await Promise.all(active.list().map(tellOne))
  }
  return {
    look,
    watch: () => {
      const looks = makeSingleFlight()
      const timer = setInterval(() => void looks.join('all', look), lookEveryMs)
      timer.unref()
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
  }
}

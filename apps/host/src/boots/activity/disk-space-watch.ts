import { makeSingleFlight } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { Logger } from '@threadbox/telemetry'
import type { ActiveBoot, ActiveBoots } from '../launch/active-boots.ts'
import { tellDiskSpace } from '../launch/guest-requests.ts'

/** What `df` shows inside is never older than this and the time of one request. */
const lookEveryMs = 2000
const answerTimeoutMs = 5000
/** A guest that could not be told, or is older than this route, is told again after this. */
const againAfterMs = 20_000

/**
 * Tells every guest that serves what its disk holds and may hold, whenever that has changed: inside, `statfs` shows the
 * pool. A sandbox that writes nothing is left alone.
 */
export type DiskSpaceWatch = {
  watch(): void
  look(): Promise<void>
}

type Told = { diskId: string; said: string; failedAt: number | undefined }

export function makeDiskSpaceWatch(ports: {
  active: Pick<ActiveBoots, 'list'>
  disks: Pick<DiskStore, 'diskUsage'>
  /** Undefined for a sandbox that is gone. */
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

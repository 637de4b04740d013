import { makeSingleFlight } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { Logger } from '@threadbox/telemetry'
import { type ActiveBoot, type ActiveBoots, guestOf } from '../launch/active-boots.ts'

/** `df` inside shows values at most this old, plus the time of one request. */
const pollEveryMs = 2000
const answerTimeoutMs = 5000
/** A guest that could not be reached, or is older than this route, is tried again after this time. */
const againAfterMs = 20_000

/**
 * Sends every serving guest the used and total space of its disk whenever they change: inside, `statfs` shows the pool.
 * Sends nothing to a sandbox that writes nothing.
 */
export type DiskSpaceWatch = {
  watch(): void
  checkAll(): Promise<void>
}

type ReportedSpace = { diskId: string; said: string; failedAt: number | undefined }

export function makeDiskSpaceWatch(ports: {
  active: Pick<ActiveBoots, 'list'>
  gateway: Pick<GatewayApi, 'reportDiskSpace'>
  disks: Pick<DiskStore, 'diskUsage'>
  /** Undefined if the sandbox no longer exists. */
  diskIdOf(sandboxId: string): Promise<string | undefined>
  logger: Logger
  clock: () => number
  signal: AbortSignal
}): DiskSpaceWatch {
  const { active, disks, logger, clock, signal } = ports
  const reported = new WeakMap<AbortSignal, ReportedSpace>()

  const report = async (boot: ActiveBoot) => {
    const before = reported.get(boot.ended)
    if (before?.failedAt !== undefined && clock() - before.failedAt < againAfterMs) return
    const diskId = before?.diskId ?? (await ports.diskIdOf(boot.sandboxId))
    if (diskId === undefined) return
    const { usedBytes, limitBytes } = await disks.diskUsage(diskId)
    const said = `${usedBytes}/${limitBytes}`
    if (limitBytes < 1 || (before?.said === said && before.failedAt === undefined)) return
    const stop = AbortSignal.any([boot.ended, signal, AbortSignal.timeout(answerTimeoutMs)])
    const now: ReportedSpace = { diskId, said, failedAt: clock() }
    reported.set(boot.ended, now)
    await ports.gateway.reportDiskSpace({ guest: guestOf(boot), space: { usedBytes, limitBytes } }, stop)
    now.failedAt = undefined
  }
  const checkAll = async () => {
    const reportOne = (boot: ActiveBoot) =>
      report(boot).catch((error: unknown) => {
        if (!boot.ended.aborted)
          logger.debug({ err: error, bootId: boot.bootId }, 'a guest was not told its disk space')
      })
    await Promise.all(active.list().map(reportOne))
  }
  return {
    checkAll,
    watch: () => {
      const checks = makeSingleFlight()
      const timer = setInterval(() => void checks.join('all', checkAll), pollEveryMs)
      timer.unref()
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
  }
}

import { type KeyedLock, makeKeyedLock, makeSingleFlight } from '@threadbox/concurrency'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { GuestActivity } from '@threadbox/protocol/guest'
import { canSaveMemory, type SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { Boots } from '../boots/boots.ts'
import { type ActiveBoot, type ActiveBoots, guestOf } from '../launch/active-boots.ts'
import { hasWorked, type RestReading } from './rest.logic.ts'

/**
 * Idle boots in which nothing of the user’s runs are frozen in memory: they *rest*. For everyone else such a boot is awake. The
 * next request to it waits at the gateway until it continues, which takes milliseconds, and so does every order about it.
 */
export type RestingBoots = {
  /** Orders about one sandbox run one after another. Its boot does not rest during one. */
  lock: KeyedLock
  isResting(boot: Pick<ActiveBoot, 'sandboxId' | 'bootId'>): boolean
  /** Lets a boot continue for which a request waits at the gateway. */
  wanted(boot: { sandboxId: string; bootId: string }): void
  /** Lets every boot continue: the gateway no longer holds requests to them. */
  rouseAll(): void
  /** Checks all active boots now. */
  checkAll(): Promise<void>
  watch(): void
}

type RestPorts = {
  active: Pick<ActiveBoots, 'find' | 'list'>
  boots: Pick<BootsStore, 'current'>
  running: Pick<Boots, 'end'>
  driver: SandboxDriver
  gateway: Pick<GatewayApi, 'activity' | 'rest' | 'rouse'>
  /** How long nothing has used a boot that is to rest; 0: none ever rests. */
  idleMs: number
  logger: Logger
  clock: () => number
  signal: AbortSignal
}

/** A resting boot, or one that is about to rest. */
type Rest = { sandboxId: string; bootId: string; driverBootId: string; isFreezing: boolean }

/** What is known about a boot from the last check. */
type Watched = { nextAt: number; reading: RestReading | undefined }

/** Requests wait for it. A guest that takes longer is not at rest. */
const answerTimeoutMs = 1000
/** A guest is not asked more often than this what its sandbox does: the answer takes processor time. */
const busyAgainMs = 10_000
const shortestTickMs = 100
const longestTickMs = 2000

export function makeRestingBoots(ports: RestPorts): RestingBoots {
  const { active, clock, idleMs, logger, signal } = ports
  const inOrder = makeKeyedLock()
  const resting = new Map<string, Rest>()
  const watched = new WeakMap<AbortSignal, Watched>()

  const isResting = ({ sandboxId, bootId }: Pick<ActiveBoot, 'sandboxId' | 'bootId'>) =>
    resting.get(sandboxId)?.bootId === bootId
  const rouse = async (sandboxId: string): Promise<boolean> => {
    const rest = resting.get(sandboxId)
    if (rest === undefined) return false
    if (rest.isFreezing) await thaw(ports, rest)
    await passRequests(ports, rest)
    resting.delete(sandboxId)
    return true
  }
  const lock = async <Result>(sandboxId: string, work: () => Promise<Result>): Promise<Result> =>
    await inOrder(sandboxId, async () => {
      await rouse(sandboxId)
      return await work()
    })
  /** Returns when to check again. */
  const tryToRest = async (boot: ActiveBoot, known: Watched): Promise<number> => {
    const { sandboxId, bootId } = boot
    const stored = await ports.boots.current(sandboxId)
    if (!isServing(ports, boot, stored)) return clock()
    const rest: Rest = { sandboxId, bootId, driverBootId: stored.driverBootId, isFreezing: false }
    // Before the gateway holds requests: whatever fails from here on, the next order or request lets it continue.
    resting.set(sandboxId, rest)
    // Two readings tell whether something has worked between them.
    const unusedMs = known.reading === undefined ? idleMs / 2 : idleMs
    const outcome = await ports.gateway.rest({ sandboxId, bootId, unusedMs })
    if (!outcome.isResting) {
      resting.delete(sandboxId)
      known.reading = undefined
      return clock() + Math.max(shortestTickMs, idleMs / 2 - outcome.unusedMs)
    }
    const until = AbortSignal.any([boot.ended, signal, AbortSignal.timeout(answerTimeoutMs)])
    const activity = await ports.gateway.activity({ guest: guestOf(boot), forRest: true }, until)
    const before = known.reading
    known.reading = readingOf(activity, clock())
    if (known.reading === undefined || hasWorked(before, known.reading)) {
      logger.debug({ sandboxId, bootId, obstacle: activity.restObstacle ?? 'processor' }, 'an idle boot does not rest')
      return clock() + Math.max(idleMs / 2, busyAgainMs)
    }
    if (before === undefined) return clock() + idleMs / 2
    rest.isFreezing = true
    if (canSaveMemory(ports.driver)) await ports.driver.freeze(rest.driverBootId)
    known.reading = undefined
    logger.debug({ sandboxId, bootId }, 'an idle boot rests')
    return Number.POSITIVE_INFINITY
  }
  const knownOf = (boot: ActiveBoot): Watched => {
    const present = watched.get(boot.ended)
    if (present !== undefined) return present
    const begun: Watched = { nextAt: clock(), reading: undefined }
    watched.set(boot.ended, begun)
    const forget = () => {
      if (isResting(boot)) resting.delete(boot.sandboxId)
    }
    boot.ended.addEventListener('abort', forget, { once: true })
    return begun
  }
  const check = async (boot: ActiveBoot) => {
    const known = knownOf(boot)
    // A boot that rested and was roused counts from then on.
    if (known.nextAt === Number.POSITIVE_INFINITY && !resting.has(boot.sandboxId)) known.nextAt = clock() + idleMs / 2
    if (known.nextAt > clock() || inOrder.isBusy(boot.sandboxId)) return
    await inOrder(boot.sandboxId, async () => {
      try {
        known.nextAt = await tryToRest(boot, known)
      } catch (error) {
        known.nextAt = clock() + busyAgainMs
        known.reading = undefined
        if (!boot.ended.aborted) logger.warn({ err: error, bootId: boot.bootId }, 'an idle boot could not rest')
      }
      const isFrozen = known.nextAt === Number.POSITIVE_INFINITY
      if (!isFrozen) await rouse(boot.sandboxId)
    })
  }
  const checkAll = async () => {
    if (idleMs === 0 || !canSaveMemory(ports.driver)) return
    await Promise.all(active.list().map(check))
  }
  const settled = (sandboxId: string, work: Promise<unknown>) =>
    work.catch((error: unknown) => logger.error({ err: error, sandboxId }, 'a boot may still rest'))
  return {
    lock: Object.assign(lock, { isBusy: inOrder.isBusy, settled: inOrder.settled }),
    isResting,
    wanted: ({ sandboxId, bootId }) =>
      void settled(
        sandboxId,
        inOrder(sandboxId, async () => {
          if (!(await rouse(sandboxId))) await passRequests(ports, { sandboxId, bootId })
        }),
      ),
    rouseAll: () => {
      for (const sandboxId of resting.keys())
        void settled(
          sandboxId,
          lock(sandboxId, async () => undefined),
        )
    },
    checkAll,
    watch: () => {
      if (idleMs === 0) return
      const checks = makeSingleFlight()
      const tickMs = Math.min(longestTickMs, Math.max(shortestTickMs, idleMs / 10))
      const timer = setInterval(() => void checks.join('all', checkAll), tickMs)
      timer.unref()
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
  }
}

function isServing({ active }: RestPorts, boot: ActiveBoot, stored: StoredBoot | undefined): stored is StoredBoot {
  const isCurrent = stored?.bootId === boot.bootId && stored.state === 'ready'
  return isCurrent && active.find(boot.sandboxId)?.bootId === boot.bootId
}

/** Undefined if something of the user’s runs, or the guest is older than the question. */
function readingOf({ restObstacle, userCpuSeconds }: GuestActivity, at: number): RestReading | undefined {
  return restObstacle === null ? { at, userCpuSeconds } : undefined
}

/** Never leaves a boot frozen: one that doesn’t continue is ended. */
async function thaw({ driver, boots, running, logger }: RestPorts, rest: Rest): Promise<void> {
  if (!canSaveMemory(driver)) return
  await driver.thaw(rest.driverBootId).catch(async (error: unknown) => {
    const { sandboxId, bootId, driverBootId } = rest
    const isRunning = (await driver.inspect(driverBootId))?.state === 'running'
    const boot = await boots.current(sandboxId)
    if (!isRunning || boot?.bootId !== bootId) return
    logger.error({ err: error, sandboxId, bootId }, 'a boot that rested cannot continue')
    const detail = 'It was frozen while it was idle, and couldn’t continue.'
    await running.end(boot, { cause: 'unknown', detail })
  })
}

/** A gateway that can’t be reached holds nothing; one that is told again which boots exist doesn’t either. */
async function passRequests(
  { gateway, logger }: RestPorts,
  { sandboxId, bootId }: Pick<Rest, 'sandboxId' | 'bootId'>,
): Promise<void> {
  await gateway.rouse({ sandboxId, bootId }).catch((error: unknown) => {
    logger.warn({ err: error, sandboxId, bootId }, 'the gateway was not told that a boot continues')
  })
}

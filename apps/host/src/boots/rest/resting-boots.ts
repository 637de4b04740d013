import { type KeyedLock, makeKeyedLock, makeSingleFlight, waitAtMost } from '@threadbox/concurrency'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import { canSaveMemory } from '@threadbox/sandbox-driver'
import type { BackgroundWork } from '../../machine/programs/background-work.ts'
import type { ActiveBoot, ActiveBoots } from '../launch/active-boots.ts'
import { type Compressions, makeCompressions } from './compressions.ts'
import type { RestReading } from './rest.logic.ts'
import { makeRests, type Rests, type RestsPorts } from './rests.ts'
import { tryToRest } from './try-to-rest.ts'

/**
 * Idle boots in which nothing of the user’s runs are frozen in memory: they *rest*. For everyone else such a boot is awake. The
 * next request to it waits at the gateway until it continues, which takes milliseconds, and so does every order about it.
 */
export type RestingBoots = {
  /** Orders about one sandbox run one after another. Its boot does not rest during one. */
  lock: KeyedLock
  isResting(boot: Pick<ActiveBoot, 'sandboxId' | 'bootId'>): boolean
  /** Lets a boot continue for which a request waits at the gateway. */
  wanted(boot: Pick<ActiveBoot, 'sandboxId' | 'bootId'>): void
  /** Lets every boot continue: the gateway no longer holds requests to them. */
  rouseAll(): void
  /** Lets every boot continue, and none rest from then on: this process is about to end. */
  close(): Promise<void>
  watch(): void
}

type RestingPorts = Omit<RestsPorts, 'compressions'> & {
  active: Pick<ActiveBoots, 'find' | 'list'>
  gateway: Pick<GatewayApi, 'activity' | 'rest' | 'rouse'>
  /** How long nothing has used a boot that is to rest; 0: none ever rests. */
  idleMs: number
  /** How long a boot rests before its memory is compressed; 0: none is. */
  compressAfterMs: number
  background: Pick<BackgroundWork, 'moment' | 'inTurn'>
  clock: () => number
  signal: AbortSignal
}

/** What the last check has found. */
type Watched = { rested: boolean; nextAt: number; reading: RestReading | undefined }

/** Shortest wait after a failure, such as a gateway that is just being started again. */
const shortestRetryMs = 1000
/** An order in progress can take longer; its boot doesn’t rest. */
const closeMs = 2000
/** Between two passes over the boots, most of which are not due. */
const tickShare = 0.1
const tickLimitsMs = { least: 100, most: 2000 }

export function makeRestingBoots(ports: RestingPorts): RestingBoots {
  const { active, idleMs, logger, signal } = ports
  const inOrder = makeKeyedLock()
  const compressions = makeCompressions({ ...ports, afterMs: ports.compressAfterMs })
  const rests = makeRests({ ...ports, compressions })
  const check = makeCheck({ ...ports, inOrder, rests, compressions, isClosing: () => closing.signal.aborted })
  const closing = new AbortController()
  const lock = async <Result>(sandboxId: string, work: () => Promise<Result>): Promise<Result> =>
    await inOrder(sandboxId, async () => {
      await rests.rouse(sandboxId)
      return await work()
    })
  const settled = (sandboxId: string, work: Promise<unknown>) =>
    work.catch((error: unknown) => logger.error({ err: error, sandboxId }, 'a boot may still rest'))
  const rouseAll = async () => {
    const rouseOne = (sandboxId: string) =>
      settled(
        sandboxId,
        lock(sandboxId, async () => undefined),
      )
    await Promise.all(rests.sandboxIds().map(rouseOne))
  }
  return {
    lock: Object.assign(lock, { isBusy: inOrder.isBusy, settled: inOrder.settled }),
    isResting: (boot) => rests.find(boot) !== undefined,
    wanted: (boot) => {
      const { sandboxId } = boot
      const roused = inOrder(sandboxId, async () => {
        if (!(await rests.rouse(sandboxId))) await rests.pass(boot)
      })
      void settled(sandboxId, roused)
    },
    rouseAll: () => void rouseAll(),
    close: async () => {
      closing.abort()
      await waitAtMost(closeMs, { work: rouseAll() })
    },
    watch: () => {
      if (idleMs === 0) return
      const checks = makeSingleFlight()
      const checkAll = async () => void (await Promise.all(active.list().map(check)))
      const tickMs = Math.min(tickLimitsMs.most, Math.max(tickLimitsMs.least, idleMs * tickShare))
      const timer = setInterval(() => void checks.join('all', checkAll), tickMs)
      timer.unref()
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
  }
}

/** Checks whether a boot is to rest, if it is due. Never rejects. */
function makeCheck(
  ports: RestingPorts & { inOrder: KeyedLock; rests: Rests; compressions: Compressions; isClosing: () => boolean },
): (boot: ActiveBoot) => Promise<void> {
  const { driver, inOrder, rests, compressions, clock, idleMs, logger } = ports
  const watched = new WeakMap<AbortSignal, Watched>()
  const watchedOf = (boot: ActiveBoot): Watched => {
    const present = watched.get(boot.ended)
    if (present !== undefined) return present
    const begun = { rested: false, nextAt: clock() + idleMs / 2, reading: undefined }
    watched.set(boot.ended, begun)
    boot.ended.addEventListener('abort', () => rests.drop(boot), { once: true })
    return begun
  }
  return async (boot) => {
    if (!canSaveMemory(driver) || ports.isClosing()) return
    const now = watchedOf(boot)
    const rest = rests.find(boot)
    if (rest !== undefined) return compressions.consider(rest)
    if (now.rested) Object.assign(now, { rested: false, nextAt: clock() + idleMs / 2 })
    if (now.nextAt > clock() || inOrder.isBusy(boot.sandboxId)) return
    const checked = inOrder(boot.sandboxId, async () => {
      if (ports.isClosing()) return
      try {
        Object.assign(now, await tryToRest({ ...ports, driver }, { boot, before: now.reading }))
      } catch (error) {
        Object.assign(now, { rested: false, nextAt: clock() + Math.max(idleMs, shortestRetryMs), reading: undefined })
        if (!boot.ended.aborted) logger.warn({ err: error, bootId: boot.bootId }, 'an idle boot could not rest')
      }
      if (!now.rested) await rests.rouse(boot.sandboxId)
    })
    await checked.catch((error: unknown) => logger.error({ err: error, bootId: boot.bootId }, 'a boot may still rest'))
  }
}

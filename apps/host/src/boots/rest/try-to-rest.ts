import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { GuestActivity } from '@threadbox/protocol/guest'
import type { MemorySavingDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import { type ActiveBoot, type ActiveBoots, guestOf } from '../launch/active-boots.ts'
import { hasWorked, type RestReading } from './rest.logic.ts'
import type { Rest, Rests } from './rests.ts'

export type RestAttemptPorts = {
  active: Pick<ActiveBoots, 'find'>
  boots: Pick<BootsStore, 'current'>
  driver: MemorySavingDriver
  gateway: Pick<GatewayApi, 'activity' | 'rest'>
  rests: Pick<Rests, 'begin' | 'drop'>
  idleMs: number
  logger: Logger
  clock: () => number
  signal: AbortSignal
}

/** `nextAt`: when the boot is checked again; a boot that rests is not. */
export type RestOutcome = { rested: boolean; nextAt: number; reading: RestReading | undefined }

/** Requests wait for it. A guest that takes longer is not at rest. */
const answerTimeoutMs = 1000
/** A guest is asked at most this often what its sandbox does: that takes processor time. */
const busyAgainMs = 1000
const shortestWaitMs = 100

/**
 * Freezes a boot that nothing has used for long enough and in which nothing of its user ran, now and half of that time ago. The
 * order matters: the gateway holds requests before the guest is asked, so that nothing starts between its response and
 * the freeze. Unless the outcome is that it rests, the caller rouses it, also after an error.
 */
export async function tryToRest(
  ports: RestAttemptPorts,
  { boot, before }: { boot: ActiveBoot; before: RestReading | undefined },
): Promise<RestOutcome> {
  const { clock, idleMs, logger } = ports
  const { sandboxId, bootId } = boot
  const againIn = (ms: number, reading?: RestReading) => ({ rested: false, nextAt: clock() + ms, reading })
  const stored = await ports.boots.current(sandboxId)
  const isServing = stored?.bootId === bootId && ports.active.find(sandboxId)?.bootId === bootId
  if (!isServing || stored.state !== 'ready') return againIn(idleMs)
  const rest: Rest = { sandboxId, bootId, driverBootId: stored.driverBootId, isFreezing: false, frozenAt: undefined }
  ports.rests.begin(rest)
  const unusedMs = before === undefined ? idleMs / 2 : idleMs
  const held = await ports.gateway.rest({ sandboxId, bootId, unusedMs })
  if (!held.isResting) {
    ports.rests.drop(boot)
    return againIn(Math.max(shortestWaitMs, idleMs / 2 - held.unusedMs))
  }
  const until = AbortSignal.any([boot.ended, ports.signal, AbortSignal.timeout(answerTimeoutMs)])
  const activity = await ports.gateway.activity({ guest: guestOf(boot), forRest: true }, until)
  const reading = readingOf(activity, clock())
  if (reading === undefined || hasWorked(before, reading)) {
    logger.debug({ sandboxId, bootId, obstacle: activity.restObstacle ?? 'processor' }, 'an idle boot does not rest')
    return againIn(Math.max(idleMs / 2, busyAgainMs), reading)
  }
  if (before === undefined) return againIn(idleMs / 2, reading)
  rest.isFreezing = true
  await ports.driver.freeze(rest.driverBootId)
  rest.frozenAt = clock()
  logger.debug({ sandboxId, bootId }, 'an idle boot rests')
  return { rested: true, nextAt: Number.POSITIVE_INFINITY, reading: undefined }
}

/** Undefined if something of the user’s runs, or the guest is older than the question. */
function readingOf({ restObstacle, userCpuSeconds }: GuestActivity, at: number): RestReading | undefined {
  return restObstacle === null ? { at, userCpuSeconds } : undefined
}

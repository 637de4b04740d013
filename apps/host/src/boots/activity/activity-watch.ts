import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { GuestActivity } from '@threadbox/protocol/guest'
import type { HostEvent } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { HostEvents } from '../../machine/events/host-events.ts'
import { type ActiveBoot, type ActiveBoots, guestOf } from '../launch/active-boots.ts'
import { type ActivityReading, judgeActivity } from './activity.logic.ts'

/** Idle time is counted in minutes. */
const pollEveryMs = 12_000
const answerTimeoutMs = 5000

/**
 * Asks every serving guest which of the user's programs are active, and emits events with the reason. A guest that does
 * not respond is asked again next time: silence counts as idle.
 */
export type ActivityWatch = {
  watch(): void
  checkAll(): Promise<void>
}

export function makeActivityWatch(ports: {
  active: Pick<ActiveBoots, 'list'>
  gateway: Pick<GatewayApi, 'activity'>
  events: HostEvents
  cpuShare: number
  logger: Logger
  clock: () => number
  signal: AbortSignal
}): ActivityWatch {
  const { active, events, logger, clock, signal } = ports
  const readings = new WeakMap<AbortSignal, ActivityReading>()

  const poll = async (boot: ActiveBoot) => {
    let activity: GuestActivity
    try {
      const until = AbortSignal.any([boot.ended, signal, AbortSignal.timeout(answerTimeoutMs)])
      activity = await ports.gateway.activity({ guest: guestOf(boot) }, until)
    } catch (error) {
      if (!boot.ended.aborted) logger.debug({ err: error, bootId: boot.bootId }, 'a guest did not say what is at work')
      return
    }
    const reading = { at: clock(), activity }
    const found = judgeActivity({ before: readings.get(boot.ended), now: reading, cpuShare: ports.cpuShare })
    readings.set(boot.ended, reading)
    const { sandboxId, bootId } = boot
    for (const seen of found) events.emit({ type: 'activity', sandboxId, bootId, ...seen, at: reading.at } as HostEvent)
  }
  const checkAll = async () => {
    await Promise.all(active.list().map(poll))
  }
  return {
    checkAll,
    watch: () => {
      const timer = setInterval(() => void checkAll(), pollEveryMs)
      timer.unref()
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
  }
}

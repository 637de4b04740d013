import { followWhile } from '@threadbox/concurrency'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { Logger } from '@threadbox/telemetry'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { ActiveBoots } from '../launch/active-boots.ts'

/** A killed gateway is restarted within a fraction of a second. */
const pauseMs = 50

/**
 * Follows the gateway for as long as this process runs: passes on the activity that it sees, and sends it the boots
 * whenever the stream opens, because a gateway that has just started knows none. Calls `onTold` each time it knows them.
 */
export async function watchGateway(options: {
  gateway: Pick<GatewayApi, 'events'>
  active: ActiveBoots
  events: HostEvents
  logger: Logger
  signal: AbortSignal
  onTold: () => void
  /** Called when a program or person first runs Python in a boot. */
  onPython: (sandboxId: string) => void
  /** Called when a request waits for a boot that rests. */
  onWanted: (boot: { sandboxId: string; bootId: string }) => void
}): Promise<void> {
  const { gateway, active, events, logger, signal, onTold, onPython, onWanted } = options
  let isConnected = true
  await followWhile({
    signal,
    connect: async () => gateway.events(signal),
    onEvent: async (event) => {
      if (event.type === 'activity') events.emit(event)
      if (event.type === 'python-used') onPython(event.sandboxId)
      if (event.type === 'wanted') onWanted(event)
      if (event.type !== 'opened') return
      await active.sendAll()
      onTold()
      if (!isConnected) logger.info('the gateway serves again')
      isConnected = true
    },
    pauseMs,
    onBroken: (error) => {
      if (isConnected) logger.warn({ err: error }, 'the gateway can’t be reached')
      isConnected = false
    },
  })
}

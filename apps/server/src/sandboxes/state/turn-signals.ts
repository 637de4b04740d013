import { makeKeyedLock } from '@threadbox/concurrency'
import { guestPaths } from '@threadbox/protocol/guest'
import { backgroundHeader } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/**
 * Says to guests when turns of their thread begin and end, for which they start and end a Python kernel. Best effort:
 * nothing waits for it, and a guest that does not know it or does not respond is left as it is.
 */
export type TurnSignals = {
  /** An agent's turn, in which cells are likely, has begun. A sandbox that sleeps gets it with `awoken`. */
  agentTurnBegan(threadId: string): void
  awoken(threadId: string, boot: BootTarget): void
  /** A turn has ended, and none follows. */
  turnEnded(threadId: string): void
}

type BootTarget = { sandboxId: string; bootId: string }

/** The guest responds before it has started something. Ending a kernel takes a tenth of a second. */
const timeoutMs = 5_000

export function makeTurnSignals(ports: {
  store: Pick<SandboxStore, 'find'>
  host: Pick<HostClient, 'guest'>
  logger: Logger
}): TurnSignals {
  const { store, host, logger } = ports
  const inOrder = makeKeyedLock()
  /** The latest signal of each thread that is not sent yet: a later one replaces it. */
  const pending = new Map<string, string>()
  const send = async (target: BootTarget, path: string) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await host.guest(target, { method: 'POST', path, headers: { [backgroundHeader]: '1' }, signal })
    response.body.on('error', () => undefined).destroy()
  }
  const quietly = (threadId: string, work: () => Promise<void>) => {
    inOrder(threadId, work).catch((error: unknown) =>
      logger.debug({ err: error, threadId }, 'a guest was not told about a turn'),
    )
  }
  const activeBoot = async (threadId: string): Promise<BootTarget | undefined> => {
    const row = await store.find(threadId)
    return row?.state === 'active' && row.boot_id !== null ? { sandboxId: row.id, bootId: row.boot_id } : undefined
  }
  const sendPending = (threadId: string, path: string, known?: BootTarget) =>
    quietly(threadId, async () => {
      const boot = known ?? (await activeBoot(threadId))
      if (pending.get(threadId) !== path) return
      // A sandbox that is not awake has nothing to end. What begins in it is sent when it has awoken.
      if (boot !== undefined || path === guestPaths.quiet) pending.delete(threadId)
      if (boot !== undefined) await send(boot, path)
    })
  const signalOf = (path: string) => (threadId: string) => {
    pending.set(threadId, path)
    sendPending(threadId, path)
  }
  return {
    agentTurnBegan: signalOf(guestPaths.expectCells),
    turnEnded: signalOf(guestPaths.quiet),
    awoken: (threadId, boot) => {
      const path = pending.get(threadId)
      if (path !== undefined) sendPending(threadId, path, boot)
    },
  }
}

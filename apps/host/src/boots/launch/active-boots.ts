import { once } from 'node:events'
import type { Socket } from 'node:net'

/**
 * The boots that serve now: what the gateway needs to reach a sandbox. A boot enters when its guest is ready and leaves
 * when it has ended or is paused; leaving aborts `ended`, which ends every stream through the gateway.
 */
export type ActiveBoot = {
  bootId: string
  sandboxId: string
  startedAt: number
  address: string
  accessToken: string
  /** Aborted when the boot ends or is paused, with the error for open streams as its reason. */
  ended: AbortSignal
  /** Every connection from this process into the sandbox. */
  connections: Set<Socket>
}

export type ActiveBoots = {
  find(sandboxId: string): ActiveBoot | undefined
  list(): ActiveBoot[]
  add(boot: Omit<ActiveBoot, 'ended' | 'connections'>): void
  /** Ends the streams of a boot. Another boot of the same sandbox is left alone. */
  remove(options: { sandboxId: string; bootId: string; reason: Error }): void
  /** Does the same as `remove`, and returns when no connection into the sandbox is left. */
  suspend(options: { sandboxId: string; bootId: string; reason: Error }): Promise<void>
  /** Sets the error for requests to a sandbox without a boot here; undefined: it is not running. */
  setRefusal(sandboxId: string, reason: Error | undefined): void
  refusal(sandboxId: string): Error | undefined
  count(): number
}

/** Calls `onCount` with the number of boots whenever it changes. */
export function makeActiveBoots(onCount: (count: number) => void = () => undefined): ActiveBoots {
  const boots = new Map<string, { boot: ActiveBoot; controller: AbortController }>()
  const refusals = new Map<string, Error>()
  const remove = ({ sandboxId, bootId, reason }: { sandboxId: string; bootId: string; reason: Error }) => {
    const entry = boots.get(sandboxId)
    if (entry?.boot.bootId !== bootId) return undefined
    boots.delete(sandboxId)
    entry.controller.abort(reason)
    onCount(boots.size)
    return entry.boot
  }
  const setRefusal = (sandboxId: string, reason: Error | undefined) => {
    if (reason === undefined) refusals.delete(sandboxId)
    else refusals.set(sandboxId, reason)
  }
  return {
    find: (sandboxId) => boots.get(sandboxId)?.boot,
    list: () => [...boots.values()].map(({ boot }) => boot),
    add: (boot) => {
      const controller = new AbortController()
      refusals.delete(boot.sandboxId)
      const isMore = !boots.has(boot.sandboxId)
      boots.set(boot.sandboxId, { boot: { ...boot, ended: controller.signal, connections: new Set() }, controller })
      if (isMore) onCount(boots.size)
    },
    remove: (options) => void remove(options),
    suspend: async (options) => {
      setRefusal(options.sandboxId, options.reason)
      const boot = remove(options)
      if (boot !== undefined) await closeConnections(boot)
    },
    setRefusal,
    refusal: (sandboxId) => refusals.get(sandboxId),
    count: () => boots.size,
  }
}

/** Tracks a connection into a sandbox for as long as it is open. */
export function trackConnection({ connections }: Pick<ActiveBoot, 'connections'>, socket: Socket): void {
  if (socket.destroyed || connections.has(socket)) return
  connections.add(socket)
  socket.once('close', () => connections.delete(socket))
}

/** Returns when no connection into the sandbox is left. */
export async function closeConnections({ connections }: Pick<ActiveBoot, 'connections'>): Promise<void> {
  await Promise.all([...connections].map(closed))
}

async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return
  const gone = once(socket, 'close').catch(() => undefined)
  socket.destroy()
  await gone
}

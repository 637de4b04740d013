import { makeSerial } from '@threadbox/concurrency'
import { isErrorOf, toWireError } from '@threadbox/errors'
import { type Admissions, type GatewayApi, type GuestAddress, gatewayUnreachable } from '@threadbox/protocol/gateway'

/**
 * The boots that serve now, and how their guests are reached. A boot enters when its guest is ready and leaves when it
 * has ended or is paused; the gateway ends every stream of a boot that leaves.
 */
export type ActiveBoot = GuestAddress & {
  bootId: string
  sandboxId: string
  startedAt: number
  /** Aborted when the boot ends or is paused, with the error for open streams as its reason. */
  ended: AbortSignal
}

type Leaving = { sandboxId: string; bootId: string; reason: Error }

export type ActiveBoots = {
  find(sandboxId: string): ActiveBoot | undefined
  list(): ActiveBoot[]
  /** Returns when the gateway reaches the boot. */
  add(boot: Omit<ActiveBoot, 'ended'>): Promise<void>
  /** Ends the streams of a boot; returns when no connection into it is left. Another boot of the sandbox is left alone. */
  remove(leaving: Leaving): Promise<void>
  /** Does the same as `remove`, and makes `reason` the error for requests until the next boot. */
  suspend(leaving: Leaving): Promise<void>
  /** Sets the error for requests to a sandbox without a boot here; undefined: it is not running. */
  setRefusal(sandboxId: string, reason: Error | undefined): Promise<void>
  count(): number
  /** Sends everything to a gateway that has just started. */
  sendAll(): Promise<void>
}

type Admission = Pick<GatewayApi, 'admit' | 'close' | 'setRefusal' | 'replaceAdmissions'>

/** Calls `onCount` with the number of boots whenever it changes. */
export function makeActiveBoots(options: { gateway: Admission; onCount: (count: number) => void }): ActiveBoots {
  const { gateway, onCount } = options
  const boots = new Map<string, { boot: ActiveBoot; controller: AbortController }>()
  const refusals = new Map<string, Error>()
  // In the order in which they were decided: the gateway must not admit what has been closed since.
  const serial = makeSerial()
  /** A gateway that can’t be reached has no connection into a sandbox, and gets everything when it starts. */
  const tell = (send: () => Promise<void>) =>
    serial(() =>
      send().catch((error: unknown) => {
        if (!isErrorOf(gatewayUnreachable, error)) throw error
      }),
    )
  const leave = ({ sandboxId, bootId, reason }: Leaving, { refuses }: { refuses: boolean }) => {
    if (refuses) refusals.set(sandboxId, reason)
    const entry = boots.get(sandboxId)
    if (entry?.boot.bootId === bootId) {
      boots.delete(sandboxId)
      entry.controller.abort(reason)
      onCount(boots.size)
    }
    return tell(() => gateway.close({ sandboxId, bootId, reason: toWireError(reason), refuses }))
  }
  return {
    find: (sandboxId) => boots.get(sandboxId)?.boot,
    list: () => [...boots.values()].map(({ boot }) => boot),
    add: async (boot) => {
      const controller = new AbortController()
      refusals.delete(boot.sandboxId)
      const isMore = !boots.has(boot.sandboxId)
      boots.set(boot.sandboxId, { boot: { ...boot, ended: controller.signal }, controller })
      if (isMore) onCount(boots.size)
      await tell(() => gateway.admit(admissionOf(boot)))
    },
    remove: (leaving) => leave(leaving, { refuses: false }),
    suspend: (leaving) => leave(leaving, { refuses: true }),
    setRefusal: (sandboxId, reason) => {
      if (reason === undefined) refusals.delete(sandboxId)
      else refusals.set(sandboxId, reason)
      const order = { sandboxId, reason: reason === undefined ? null : toWireError(reason) }
      return tell(() => gateway.setRefusal(order))
    },
    count: () => boots.size,
    sendAll: () =>
      serial(() => {
        const everything: Admissions = {
          boots: [...boots.values()].map(({ boot }) => admissionOf(boot)),
          refusals: [...refusals].map(([sandboxId, reason]) => ({ sandboxId, reason: toWireError(reason) })),
        }
        return gateway.replaceAdmissions(everything)
      }),
  }
}

/** How the gateway and the host’s own requests reach a guest. */
export function guestOf({ address, accessToken }: GuestAddress): GuestAddress {
  return { address, accessToken }
}

function admissionOf({ bootId, sandboxId, address, accessToken }: Omit<ActiveBoot, 'ended'>) {
  return { bootId, sandboxId, address, accessToken }
}

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fromWireError, type WireError } from '@threadbox/errors'
import {
  type Admissions,
  type AdmittedBoot,
  gatewayUnreachable,
  type RestBoot,
  type RestOutcome,
} from '@threadbox/protocol/gateway'
import { type BootUses, makeBootUses } from './boot-uses.ts'

/** A boot that can be reached now. */
export type OpenBoot = AdmittedBoot & {
  /** Aborted when the boot ends or is paused, with the error for open streams as its reason. */
  ended: AbortSignal
  /** Every connection from this process into the sandbox. */
  connections: Set<Socket>
  uses: BootUses
}

/**
 * What the gateway needs to reach a sandbox. The host daemon admits a boot when its guest is ready and closes it when it
 * has ended or is paused. This copy is in memory only: the host sends all of it to a gateway that has just started.
 */
export type AdmittedBoots = {
  /** Throws `gateway.unreachable` until the host has said which boots exist. */
  find(sandboxId: string): OpenBoot | undefined
  findByAddress(address: string): OpenBoot | undefined
  admit(boot: AdmittedBoot): void
  /** Ends a boot’s streams, and returns when no connection into it is left. Another boot of the sandbox is left alone. */
  close(options: { sandboxId: string; bootId: string; reason: WireError; refuses: boolean }): Promise<void>
  /** Has new requests to a boot wait, if it was unused for so long. A boot that isn’t here does not rest. */
  rest(order: RestBoot): RestOutcome
  /** Lets requests to a boot pass again. */
  rouse(order: Omit<RestBoot, 'unusedMs'>): void
  /** Sets the error for requests to a sandbox without a boot; null: it is not running. */
  setRefusal(sandboxId: string, reason: WireError | null): void
  refusal(sandboxId: string): Error | undefined
  /** Boots that stay no longer rest: their host lets all of them continue. */
  replaceAll(admissions: Admissions): Promise<void>
}

type Entry = { boot: OpenBoot; controller: AbortController }

/** `onWanted` is called when the first request waits for a boot that rests. */
export function makeAdmittedBoots(options: {
  onWanted: (boot: Pick<AdmittedBoot, 'sandboxId' | 'bootId'>) => void
}): AdmittedBoots {
  const entries = new Map<string, Entry>()
  const refusals = new Map<string, Error>()
  let isInformed = false
  const admit = (boot: AdmittedBoot) => {
    const present = entries.get(boot.sandboxId)
    refusals.delete(boot.sandboxId)
    if (present?.boot.bootId === boot.bootId && present.boot.accessToken === boot.accessToken) return
    present?.controller.abort(new Error('the sandbox has another boot'))
    const controller = new AbortController()
    const { sandboxId, bootId } = boot
    const { signal: ended } = controller
    const uses = makeBootUses({ ended, onWanted: () => options.onWanted({ sandboxId, bootId }) })
    const open: OpenBoot = { ...boot, ended, connections: new Set(), uses }
    entries.set(boot.sandboxId, { boot: open, controller })
  }
  const setRefusal = (sandboxId: string, reason: WireError | null) => {
    if (reason === null) refusals.delete(sandboxId)
    else refusals.set(sandboxId, errorOf(reason))
  }
  const end = async ({ boot, controller }: Entry, reason: Error) => {
    if (entries.get(boot.sandboxId)?.boot === boot) entries.delete(boot.sandboxId)
    controller.abort(reason)
    await closeConnections(boot)
  }
  const find = (sandboxId: string) => {
    if (!isInformed) throw gatewayUnreachable({})
    return entries.get(sandboxId)?.boot
  }
  const usesOf = ({ sandboxId, bootId }: Omit<RestBoot, 'unusedMs'>) => {
    const boot = find(sandboxId)
    return boot?.bootId === bootId ? boot.uses : undefined
  }
  return {
    find,
    findByAddress: (address) => [...entries.values()].find(({ boot }) => boot.address === address)?.boot,
    admit,
    close: async ({ sandboxId, bootId, reason, refuses }) => {
      if (refuses) setRefusal(sandboxId, reason)
      const entry = entries.get(sandboxId)
      if (entry?.boot.bootId === bootId) await end(entry, errorOf(reason))
    },
    rest: (order) => usesOf(order)?.rest(order.unusedMs) ?? { isResting: false, unusedMs: 0 },
    rouse: (order) => usesOf(order)?.rouse(),
    setRefusal,
    refusal: (sandboxId) => refusals.get(sandboxId),
    replaceAll: async (admissions) => {
      const kept = new Set(admissions.boots.map(({ bootId }) => bootId))
      const missing = [...entries.values()].filter(({ boot }) => !kept.has(boot.bootId))
      refusals.clear()
      for (const { sandboxId, reason } of admissions.refusals) setRefusal(sandboxId, reason)
      for (const boot of admissions.boots) admit(boot)
      for (const { boot } of entries.values()) boot.uses.rouse()
      isInformed = true
      await Promise.all(missing.map((entry) => end(entry, new Error('the boot has ended'))))
    },
  }
}

function errorOf(reason: WireError): Error {
  return fromWireError(reason) ?? new Error('the sandbox can’t be reached')
}

/** Tracks a connection into a sandbox for as long as it is open. */
export function trackConnection({ connections }: Pick<OpenBoot, 'connections'>, socket: Socket): void {
  if (socket.destroyed || connections.has(socket)) return
  connections.add(socket)
  socket.once('close', () => connections.delete(socket))
}

/** Returns when no connection into the sandbox is left. */
export async function closeConnections({ connections }: Pick<OpenBoot, 'connections'>): Promise<void> {
  await Promise.all([...connections].map(closed))
}

async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return
  const gone = once(socket, 'close').catch(() => undefined)
  socket.destroy()
  await gone
}

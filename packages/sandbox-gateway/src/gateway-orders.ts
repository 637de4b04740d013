import type { Socket } from 'node:net'
import { isThreadboxError } from '@threadbox/errors'
import { type GatewayApi, type GuestAddress, guestRequestFailed } from '@threadbox/protocol/gateway'
import { type AdmittedBoots, closeConnections } from './admitted-boots.ts'
import { closeUnusedConnections } from './forward.ts'
import type { GatewayEvents } from './gateway-events.ts'
import { greetGuest } from './greet-guest.ts'
import { runInGuest } from './guest-commands.ts'
import {
  type AskedGuest,
  askToForget,
  becomeTemplate,
  prewarm,
  readActivity,
  readManifest,
  reportDiskSpace,
  rescue,
} from './guest-requests.ts'

/** Used where the caller has no signal. */
const never = new AbortController().signal

/** What the host daemon orders: which boots can be reached, and requests of its own to guests. */
export function makeGatewayOrders(options: { boots: AdmittedBoots; events: GatewayEvents }): GatewayApi {
  const { boots, events } = options
  /** A boot that is closed also ends the connections of the host’s own requests. It does not rest during one. */
  const asking = async <Value>(guest: GuestAddress, ask: (guest: AskedGuest) => Promise<Value>): Promise<Value> => {
    const boot = boots.findByAddress(guest.address)
    if (boot === undefined) return await ask(guest)
    using _use = boot.uses.beginOfHost()
    return await ask({ ...guest, connections: boot.connections })
  }
  return {
    events: (signal) => events.follow(signal),
    replaceAdmissions: (admissions) => boots.replaceAll(admissions),
    admit: async (boot) => boots.admit(boot),
    close: (order) => boots.close(order),
    rest: async (order) => {
      const outcome = boots.rest(order)
      const boot = outcome.isResting ? boots.find(order.sandboxId) : undefined
      if (boot !== undefined) closeUnusedConnections(boot)
      return outcome
    },
    rouse: async (order) => boots.rouse(order),
    setRefusal: async ({ sandboxId, reason }) => boots.setRefusal(sandboxId, reason),
    greet: (order, signal = never) => failingAsGuest(greetGuest({ ...order, signal })),
    manifest: ({ guest, hashKey }, signal = never) =>
      asking(guest, (asked) => readManifest(asked, { hashKey, signal })),
    activity: ({ guest, forRest = false }, signal = never) =>
      asking(guest, (asked) => readActivity(asked, { forRest, signal })),
    reportDiskSpace: ({ guest, space }, signal = never) =>
      asking(guest, (asked) => reportDiskSpace(asked, { space, signal })),
    rescue: ({ guest, budgets }, signal = never) => asking(guest, (asked) => rescue(asked, { budgets, signal })),
    forget: ({ guest, rescue: wanted }, signal = never) =>
      asking(guest, (asked) => askToForget(asked, { rescue: wanted, signal })),
    prewarm: ({ guest }, signal = never) => asking(guest, (asked) => prewarm(asked, signal)),
    becomeTemplate: async ({ guest }, signal = never) => {
      const connections = new Set<Socket>()
      await becomeTemplate({ ...guest, connections }, signal)
      // It is saved next: a connection would be saved with it.
      await closeConnections({ connections })
    },
    run: ({ guest, ...command }) => failingAsGuest(asking(guest, () => runInGuest(guest, command))),
  }
}

async function failingAsGuest<Value>(work: Promise<Value>): Promise<Value> {
  return await work.catch((error: unknown) => {
    if (isThreadboxError(error)) throw error
    throw guestRequestFailed({ reason: error instanceof Error ? error.message : String(error) }, { cause: error })
  })
}

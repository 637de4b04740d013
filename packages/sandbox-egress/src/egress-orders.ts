import type { EventStream } from '@threadbox/daemon'
import type { EgressApi, GrantsApi, GrantsEvent } from '@threadbox/protocol/egress'
import type { Broker } from './broker.ts'
import type { ConnectionEvents } from './connection-events.ts'
import type { Relay } from './relay.ts'
import type { SandboxTable } from './relay-table.ts'
import type { GrantsStore } from './sandbox-grants.ts'

/** What the host daemon orders: what each sandbox can reach. */
export function makeEgressOrders(options: { table: SandboxTable; relay: Relay; events: ConnectionEvents }): EgressApi {
  const { table, relay, events } = options
  return {
    events: (signal) => events.follow(signal),
    replaceAll: async (all) => {
      table.replaceAll(all)
      await relay.follow()
    },
    setSandbox: async (sandbox) => {
      table.set(sandbox)
      await relay.follow()
    },
    removeSandbox: async ({ sandboxId }) => {
      table.remove(sandboxId)
      relay.hold(sandboxId, false)
      await relay.follow()
    },
    addNames: async ({ names }) => {
      for (const name of names) table.addName(name)
    },
    hold: async ({ sandboxId, isHeld }) => relay.hold(sandboxId, isHeld),
  }
}

/** What the server orders: which secrets are inserted where. */
export function makeGrantsOrders(options: {
  grants: GrantsStore
  relay: Relay
  broker: Pick<Broker, 'grantsChanged'> | undefined
  events: EventStream<GrantsEvent>
}): GrantsApi {
  const { grants, relay, broker, events } = options
  return {
    events: (signal) => events.follow(signal),
    setGrants: async (order) => {
      const revision = grants.set(order)
      broker?.grantsChanged(order.sandboxId)
      return { revision }
    },
    removeGrants: async ({ sandboxId }) => {
      grants.remove(sandboxId)
      await relay.endBrokered(sandboxId)
    },
  }
}

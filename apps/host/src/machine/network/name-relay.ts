import { followWhile, makeSerial } from '@threadbox/concurrency'
import type { ConnectionEvent, EgressApi, RefusalReason, RelayedSandbox } from '@threadbox/protocol/egress'
import { type EgressPolicy, isRelayed, type NameRelay, type RefusedReason } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { SandboxesStore } from '../state/sandboxes.store.ts'
import type { VirtualNamesStore } from '../state/virtual-names.store.ts'
import { makeVirtualNames } from './virtual-names.ts'

/** A killed egress process is restarted within a fraction of a second. */
const pauseMs = 50

export type NameRelayOptions = {
  egress: EgressApi
  sandboxes: Pick<SandboxesStore, 'list'>
  names: VirtualNamesStore
  /** Ends the egress process, with all of its connections; the next one gets everything. */
  replace: () => void
  logger: Logger
  clock: () => number
}

/**
 * Tells the egress process which sandbox may reach what, and which names addresses stand for. Each process gets all of it when it
 * starts. One that does not carry out an order is ended: its connections might no longer be allowed.
 */
export function makeNameRelay(options: NameRelayOptions): NameRelay & { follow(signal: AbortSignal): Promise<void> } {
  const { egress, sandboxes, names, replace, logger, clock } = options
  const virtualNames = makeVirtualNames({ names, clock })
  const relayed = new Map<string, RelayedSandbox>()
  /** The names that this process knows, by address. */
  const told = new Map<string, string>()
  /** Those that the next order sends. */
  const unsent = new Map<string, string>()
  const inTurn = makeSerial()
  let onRefused: Parameters<NameRelay['onRefused']>[0] = () => undefined
  let isOpen = false
  const fail = (error: unknown) => {
    if (isOpen) logger.error({ err: error }, 'the egress process does not carry out an order and is replaced')
    isOpen = false
    replace()
  }
  const note = ({ sandboxId, name, port, reason }: ConnectionEvent) => {
    const told = reason === null ? undefined : toldReasons[reason]
    if (told === undefined) return
    const [owner] = [...relayed].find(([, sandbox]) => sandbox.sandboxId === sandboxId) ?? []
    if (owner !== undefined) onRefused({ sandboxId: owner, name, port, reason: told })
  }
  const push = (order: () => Promise<unknown>) => inTurn(async () => void (isOpen && (await order().catch(fail))))
  const sendNames = async () => {
    const fresh = [...unsent].map(([address, name]) => ({ address, name }))
    if (fresh.length === 0) return
    unsent.clear()
    await egress.addNames({ names: fresh })
    for (const { address, name } of fresh) told.set(address, name)
  }
  const sendAll = async () => {
    const known = (await names.list()).map(({ address, name }) => ({ address, name }))
    await egress.replaceAll({ sandboxes: [...relayed.values()], names: known })
    told.clear()
    unsent.clear()
    for (const { address, name } of known) told.set(address, name)
    isOpen = true
  }
  return {
    async addressFor(wanted) {
      const address = await virtualNames.obtain(wanted)
      if (address === undefined) return undefined
      const { name } = wanted
      if (told.get(address) !== name) {
        unsent.set(address, name)
        await push(sendNames)
      }
      return isOpen && told.get(address) === name ? address : undefined
    },
    async setSandbox({ sandboxId: allocationId, address, egress: policy }) {
      const present = relayed.get(allocationId)
      // Connections through the relay outlive a change to a policy that needs none.
      if (present === undefined && !isRelayed(policy)) return
      const owner = (await sandboxes.list()).find((sandbox) => sandbox.placeId === allocationId)
      const sandbox = relayedSandbox({ sandboxId: owner?.sandboxId ?? allocationId, address, policy })
      relayed.set(allocationId, sandbox)
      await push(() => egress.setSandbox(sandbox))
    },
    async removeSandbox(allocationId) {
      const present = relayed.get(allocationId)
      if (present === undefined) return
      relayed.delete(allocationId)
      await push(() => egress.removeSandbox({ sandboxId: present.sandboxId }))
    },
    onRefused: (listener) => {
      onRefused = listener
    },
    async hold({ sandboxId: allocationId, isHeld }) {
      const present = relayed.get(allocationId)
      if (present !== undefined) await push(() => egress.hold({ sandboxId: present.sandboxId, isHeld }))
    },
    follow: (signal) =>
      followWhile({
        signal,
        pauseMs,
        connect: async () => {
          if (isOpen) fail(new Error('its events have ended'))
          return await egress.events(signal)
        },
        onEvent: async (event) => {
          if (event.type === 'opened') await inTurn(() => sendAll().catch(fail))
          if (event.type === 'connection') note(event)
        },
        onBroken: (error) => {
          if (isOpen) fail(error)
        },
      }),
  }
}

/** Refusals that a person can do something about, and the agent should know. */
const toldReasons: Partial<Record<RefusalReason, RefusedReason>> = {
  'not-allowed': 'policy',
  'address-private': 'address-private',
  'address-out-of-range': 'address-out-of-range',
}

function relayedSandbox(options: { sandboxId: string; address: string; policy: EgressPolicy }): RelayedSandbox {
  const { sandboxId, address, policy } = options
  const names = policy.kind === 'allowlist' ? [...policy.names] : []
  const { kind, brokered = [], privateAddresses = [] } = policy
  return { sandboxId, address, kind, names, brokered: [...brokered], privateAddresses: [...privateAddresses] }
}

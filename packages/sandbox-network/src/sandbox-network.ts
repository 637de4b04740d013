import type { PrivateAddress } from '@threadbox/domain'
import type { NamesAsked, RefusedReason } from './names-asked.logic.ts'

/**
 * The networks of sandboxes: one namespace, one veth pair, one address and one set of firewall rules each. The other ends
 * of the pairs, and the rules, are in the router, a namespace of this installation.
 *
 * A sandbox reaches the internet through the router and nothing else: not another sandbox, not the host's services, no
 * private, link-local or metadata address. Only the gateway, in the router, reaches a sandbox. An address belongs to its
 * sandbox until it is released, also while nothing is running.
 *
 * Every method can be called again after a crash: attaching an attached sandbox returns its attachment, detaching a
 * detached one does nothing.
 */
export type SandboxNetwork = {
  /** Makes the router if it does not exist, and returns the path of its namespace, in which the gateway runs. */
  openRouter(): Promise<string>
  /**
   * Installs the tables and the unreachable route, and starts the DNS process. Removes namespaces of this installation that `keep` does not
   * list.
   */
  prepare(options: { keep: ReadonlySet<string> }): Promise<void>
  /** Ends what serves sandboxes on behalf of this process. Their networks stay, and names don’t resolve. */
  stop(): Promise<void>
  /** Removes everything of this installation from the host. */
  close(): Promise<void>
  /** Creates the namespace of a sandbox at its address. Throws `network.no-address-left`. */
  attach(options: { sandboxId: string; address: string; egress: EgressPolicy }): Promise<NetworkAttachment>
  /** Restores address and routes in the namespace: runsc removes them at every start and restore. */
  restoreAddress(sandboxId: string): Promise<void>
  /** With the link down, no packet reaches or leaves the sandbox. */
  setLink(options: { sandboxId: string; state: 'up' | 'down' }): Promise<void>
  /**
   * Waits, at most half a second, until what a frozen sandbox has sent is acknowledged and no packet passes its link.
   */
  settle(sandboxId: string): Promise<void>
  /** Ends connections that are open, unless the policy allows everything that the earlier one allowed. */
  setEgress(options: { sandboxId: string; egress: EgressPolicy }): Promise<void>
  detach(sandboxId: string): Promise<void>
  /** The hostnames that a sandbox got an address for since a time; undefined if lookups were not recorded. */
  namesAsked(sandboxId: string, sinceMs: number): NamesAsked | undefined
  /**
   * The hostnames that a sandbox was kept from since a time, with the port if it was kept only from that, and why;
   * undefined if that was not recorded.
   */
  namesRefused(sandboxId: string, sinceMs: number): NamesAsked | undefined
  /** The IDs of the sandboxes that have a namespace now. */
  list(): Promise<string[]>
  /** The addresses for sandboxes, in order; the caller remembers which sandbox has which. */
  addresses(): Iterable<string>
  /** The DNS process. One that doesn’t respond is replaced. */
  names: ServingProcess
}

/** A process that serves sandboxes on behalf of this one. */
export type ServingProcess = {
  /** Undefined while none runs. */
  pid(): number | undefined
  /** Resolves when it has carried out something that changes nothing, or has ended. */
  respond(): Promise<void>
}

export type EgressPolicy = (
  | { kind: 'open' }
  | {
      kind: 'allowlist'
      /** `name`, `*.name`, each also with a port. */
      names: readonly string[]
    }
  | { kind: 'none' }
) & {
  /** Names, also with a port, that the sandbox has secrets for: they are reached through the relay, too. */
  brokered?: readonly string[] | undefined
  /** Services in private networks that the policy allows. They are reached through the relay, too. */
  privateAddresses?: readonly PrivateAddress[] | undefined
}

/**
 * What makes names reachable for sandboxes: addresses that each stand for one name, and the process in the router that
 * connects there.
 */
export type NameRelay = {
  /**
   * The address in this range that stands for a name. The relay knows it when this resolves. Undefined: none is left, or the
   * relay doesn’t respond. `isListed`: a policy has exactly this name.
   */
  addressFor(options: { name: string; isListed: boolean; range: string }): Promise<string | undefined>
  /** Resolves when the sandbox’s connections that are no longer allowed have ended. */
  setSandbox(options: { sandboxId: string; address: string; egress: EgressPolicy }): Promise<void>
  removeSandbox(sandboxId: string): Promise<void>
  /** Calls the listener for connections of a sandbox that were refused by its policy, or for the name’s addresses. */
  onRefused(listener: (refused: { sandboxId: string; name: string; port: number; reason: RefusedReason }) => void): void
  /** While it is held, the relay reads nothing for a sandbox: what it would read would be lost. */
  hold(options: { sandboxId: string; isHeld: boolean }): Promise<void>
}

export type NetworkAttachment = {
  sandboxId: string
  namespacePath: string
  /** The sandbox's own address. */
  address: string
  /** The host's end: gateway and DNS server as the sandbox sees them. */
  gatewayAddress: string
  mtu: number
}

import type { NamesAsked } from './names-asked.models.ts'

/**
 * The networks of sandboxes: one namespace, one veth pair, one address and one set of firewall rules each.
 *
 * A sandbox reaches the internet through the host and nothing else: not another sandbox, not the host's services, no
 * private, link-local or metadata address. Nobody reaches a sandbox but the gateway on the host. An address belongs to
 * its sandbox until it is released, also while nothing runs.
 *
 * Every method may be called again after a crash: attaching what is attached returns it, detaching what is gone does
 * nothing.
 */
export type SandboxNetwork = {
  /** Installs table, unreachable route and DNS forwarder. Removes namespaces of this installation that `keep` lacks. */
  prepare(options: { keep: ReadonlySet<string> }): Promise<void>
  /** Removes everything of this installation from the machine. */
  close(): Promise<void>
  /** Makes the namespace of a sandbox at its address. Throws `network.no-address-left`. */
  attach(options: { sandboxId: string; address: string; egress: EgressPolicy }): Promise<NetworkAttachment>
  /** Puts address and routes back into the namespace: runsc takes them away at every start and restore. */
  restoreAddress(sandboxId: string): Promise<void>
  /** With the link down no packet reaches the sandbox, and none leaves it. */
  setLink(options: { sandboxId: string; state: 'up' | 'down' }): Promise<void>
  /** Waits, half a second at most, until what a frozen sandbox has sent is acknowledged: nothing passes its link any more. */
  settle(sandboxId: string): Promise<void>
  setEgress(options: { sandboxId: string; egress: EgressPolicy }): Promise<void>
  detach(sandboxId: string): Promise<void>
  /** Names of other machines that a sandbox was given an address of since a moment; undefined when nobody listened. */
  namesAsked(sandboxId: string, sinceMs: number): NamesAsked | undefined
  /** Ids of the sandboxes that have a namespace now. */
  list(): Promise<string[]>
  /** The addresses that sandboxes may be given, in order; the caller remembers who has which. */
  addresses(): Iterable<string>
}

export type EgressPolicy = { kind: 'open' } | { kind: 'allowlist'; names: readonly string[] } | { kind: 'none' }

export type NetworkAttachment = {
  sandboxId: string
  namespacePath: string
  /** The sandbox's own address. */
  address: string
  /** The host's end: gateway and DNS forwarder as the sandbox sees them. */
  gatewayAddress: string
  mtu: number
}

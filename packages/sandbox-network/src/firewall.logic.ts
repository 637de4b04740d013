import { type AddressPool, virtualRangeOf } from './address-pool.logic.ts'
import type { MachineNetwork } from './machine-network.logic.ts'
import { type NetworkNames, namesPort, uplinkName } from './names.logic.ts'
import { privateRanges } from './private-ranges.logic.ts'
import type { EgressPolicy } from './sandbox-network.ts'

export type Proxy = { address: string; port: number }

export type FirewallSettings = {
  /** Destinations on private addresses that sandboxes with open egress can use: the company’s HTTP proxy. */
  proxies: readonly Proxy[]
  closedPorts: readonly number[]
  newConnectionsPerSecond: number
  openConnections: number
  /** The user of the gateway: only its processes can open connections to sandboxes. */
  gatewayUserId: number
  /** The user of the egress process: only its processes in the router can open connections to other machines. */
  egressUserId: number
  /** What one sandbox can send, and receive, to and from other machines. 0: no limit. */
  bytesPerSecond: number
}

/** Mail ports: a sandbox that sends spam would damage the reputation of the host’s address. */
export const defaultFirewallSettings: FirewallSettings = {
  proxies: [],
  closedPorts: [25, 465, 587],
  newConnectionsPerSecond: 200,
  openConnections: 4096,
  gatewayUserId: 0,
  egressUserId: 0,
  bytesPerSecond: 0,
}

/** In it an earlier release had the addresses that names resolved to. It must have the same type to be removed. */
export const formerSet = 'allowed'

/**
 * Renders the router’s whole table as one transaction for `nft -f`. Chains are replaced each time; data of single sandboxes is only
 * in sets and maps, which keep their elements, so a restart of the daemon interrupts no sandbox.
 *
 * A sandbox’s packet is filtered three times: `arriving` drops everything except IPv4 from its own address before it
 * costs a connection entry; `to_router` accepts replies to the gateway, questions to the DNS server and, for sandboxes in
 * `relayed`, connections to addresses that stand for names; `leaving` accepts what the egress chain of the sandbox accepts. Everything else is rejected with a reply, because a program that waits for
 * a lost packet seems to hang. Only what exceeds the sandbox’s rate is lost, as on a slow line. `epochs` assigns each
 * sandbox a mark for its connections that changes with its egress policy; connections with an older mark are not
 * `current` and end.
 */
export function renderTable(options: { names: NetworkNames; pool: AddressPool; settings: FirewallSettings }): string {
  const { names, pool, settings } = options
  const virtual = virtualRangeOf(pool)
  const own = `"${names.interfacePrefix}*"`
  const dns = `${pool.routerAddress} . ${namesPort}`
  const uplink = `"${uplinkName}"`
  return `
add table inet ${names.table}
table inet ${names.table} {
  set sources { type ifname . ipv4_addr; }
  set gateways { type ifname . ipv4_addr; }
  map epochs { type ifname : mark; }
  set current { type ifname . mark; }
  map egress { type ifname : verdict; }
  set relayed { type ifname; }
  set ${formerSet} { type ifname . ipv4_addr; flags timeout; size 262144; }
  set newcomers { type ifname; flags dynamic; size 65536; }
  set open_connections { type ifname; flags dynamic; size 65536; }
  set sent { type ifname; flags dynamic; size 65536; }
  set received { type ifname; flags dynamic; size 65536; }
  set private { type ipv4_addr; flags interval; auto-merge; }
  set machine_addresses { type ipv4_addr; flags interval; auto-merge; }
  set machine_links { type ipv4_addr; flags interval; auto-merge; }
  set proxies { type ipv4_addr . inet_service; }
  set closed_ports { type inet_service; }
  chain arriving_hook { type filter hook prerouting priority raw; policy accept; }
  chain dns_hook { type nat hook prerouting priority dstnat; policy accept; }
  chain to_router_hook { type filter hook input priority filter; policy accept; }
  chain from_router_hook { type filter hook output priority filter; policy accept; }
  chain forward_hook { type filter hook forward priority filter; policy accept; }
  chain masquerade_hook { type nat hook postrouting priority srcnat; policy accept; }
  chain arriving { }
  chain to_router { }
  chain from_router { }
  chain relaying { }
  chain private_services { }
  chain to_private { }
  chain leaving { }
  chain entering { }
  chain to_relay { }
  chain bounds { }
  chain sending { }
  chain receiving { }
  chain forbidden { }
  chain egress_open { }
  chain egress_allowlist { }
  chain egress_none { }
  chain refused { }
}
flush table inet ${names.table}
delete set inet ${names.table} ${formerSet}
flush set inet ${names.table} sent
flush set inet ${names.table} received
flush set inet ${names.table} private
flush set inet ${names.table} proxies
flush set inet ${names.table} closed_ports
table inet ${names.table} {
  set private { type ipv4_addr; flags interval; auto-merge; elements = { ${[...privateRanges, pool.text].join(', ')} } }
  ${renderElements('set proxies { type ipv4_addr . inet_service;', settings.proxies.map(renderProxy))}
  ${renderElements('set closed_ports { type inet_service;', settings.closedPorts.map(String))}
  chain arriving_hook { iifname ${own} jump arriving; }
  chain arriving {
    meta nfproto != ipv4 drop
    iifname . ip saddr != @sources drop
  }
  chain dns_hook {
    iifname . ip daddr @gateways udp dport 53 dnat ip to ${pool.routerAddress}:${namesPort}
    iifname . ip daddr @gateways tcp dport 53 dnat ip to ${pool.routerAddress}:${namesPort}
  }
  chain to_router_hook {
    iifname ${own} jump to_router
    iifname ${uplink} ct state established,related accept
    iifname ${uplink} drop
  }
  chain to_router {
    ct state invalid drop
    ip daddr ${virtual} goto to_relay
    ct state established,related accept
    jump bounds
    ct status dnat ip daddr . udp dport { ${dns} } accept
    ct status dnat ip daddr . tcp dport { ${dns} } accept
    goto refused
  }
  chain to_relay {
    jump sending
    ct state established,related iifname . ct mark @current accept
    ct state established,related goto refused
    jump bounds
    ct mark set iifname map @epochs
    meta l4proto tcp iifname @relayed accept
    goto refused
  }
  chain from_router_hook {
    oifname ${own} jump from_router
    oifname "lo" meta l4proto { tcp, udp } th dport ${namesPort} ip daddr ${pool.routerAddress} meta skuid != ${settings.egressUserId} goto refused
    oifname ${uplink} ct state established,related accept
    oifname ${uplink} meta skuid ${settings.egressUserId} goto relaying
    oifname ${uplink} goto refused
  }
  chain relaying {
    ip daddr . tcp dport @proxies accept
    jump private_services
    jump forbidden
    meta l4proto tcp accept
    goto refused
  }
  chain to_private {
    oifname ${own} goto refused
    ip daddr ${pool.text} goto refused
    ip daddr @machine_addresses goto refused
    ip daddr @machine_links goto refused
    tcp dport @closed_ports goto refused
    accept
  }
  chain from_router {
    meta nfproto != ipv4 drop
    ip saddr ${virtual} jump receiving
    ct state established,related accept
    meta skuid ${settings.gatewayUserId} accept
    goto refused
  }
  chain forward_hook {
    iifname ${own} jump leaving
    oifname ${own} jump entering
  }
  chain leaving {
    ct state invalid drop
    jump sending
    tcp flags & (syn|rst) == syn tcp option maxseg size set rt mtu
    ct state established,related iifname . ct mark @current accept
    ct state established,related goto refused
    jump bounds
    ct mark set iifname map @epochs
    iifname vmap @egress
    goto refused
  }
  chain entering {
    jump receiving
    tcp flags & (syn|rst) == syn tcp option maxseg size set rt mtu
    ct state established,related oifname . ct mark @current accept
    drop
  }
  chain bounds {
    add @newcomers { iifname limit rate over ${settings.newConnectionsPerSecond}/second burst ${settings.newConnectionsPerSecond * 2} packets } drop
    add @open_connections { iifname ct count over ${settings.openConnections} } drop
  }
  chain sending {
    ${renderRate({ set: 'sent', key: 'iifname', settings })}
  }
  chain receiving {
    ${renderRate({ set: 'received', key: 'oifname', settings })}
  }
  chain forbidden {
    oifname ${own} goto refused
    ip daddr @private goto refused
    ip daddr @machine_addresses goto refused
    ip daddr @machine_links goto refused
    tcp dport @closed_ports goto refused
  }
  chain egress_open {
    ip daddr . tcp dport @proxies accept
    jump forbidden
    accept
  }
  chain egress_allowlist { goto refused; }
  chain egress_none { goto refused; }
  chain refused {
    meta l4proto tcp reject with tcp reset
    reject with icmp type admin-prohibited
  }
  chain masquerade_hook { oifname ${uplink} masquerade; }
}
`
}

/**
 * Renders the table in the machine’s namespace. Packets of sandboxes come with the router’s address, so that none of the
 * pool leaves even without this rule. It replaces the table that an earlier release had here.
 */
export function renderMachineTable({ names, pool }: { names: NetworkNames; pool: AddressPool }): string {
  const { table, uplinkInterface } = names
  return `
add table inet ${table}
delete table inet ${table}
table inet ${table} {
  chain masquerade_hook {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${pool.routerAddress} oifname != "${uplinkInterface}" masquerade
  }
}
`
}

/** Replaces what the table knows of the machine’s network. */
export function renderMachineNetwork(options: { table: string; network: MachineNetwork }): string[] {
  const { table, network } = options
  const sets = [
    { set: 'machine_addresses', elements: network.addresses },
    { set: 'machine_links', elements: network.links },
  ]
  return sets.flatMap(({ set, elements }) => [
    `flush set inet ${table} ${set}`,
    ...(elements.length === 0 ? [] : [`add element inet ${table} ${set} { ${elements.join(', ')} }`]),
  ])
}

/** A service in a private network that at least one sandbox can reach: a port in a range of addresses. */
export type PrivateService = { range: string; port: number }

/** Replaces the services in private networks that the egress process can connect to. */
export function renderPrivateServices(options: { table: string; services: readonly PrivateService[] }): string[] {
  const { table, services } = options
  return [
    `flush chain inet ${table} private_services`,
    ...services.map(
      ({ range, port }) =>
        `add rule inet ${table} private_services ip daddr ${range} tcp dport ${port} goto to_private`,
    ),
  ]
}

/** The firewall’s data of one sandbox. */
export type FirewallEntry = {
  interfaceName: string
  address: string
  gatewayAddress: string
  epoch: number
  egress: EgressPolicy['kind']
  /** Whether it reaches addresses that stand for names. */
  isRelayed: boolean
}

/** Adding an existing element does nothing in nftables, so this can be repeated for the same entry. */
export function renderEntry(options: { order: 'add' | 'delete'; table: string; entry: FirewallEntry }): string[] {
  const { order, table, entry } = options
  const { interfaceName, address, gatewayAddress, epoch, egress, isRelayed } = entry
  const target = order === 'add' ? ` : jump egress_${egress}` : ''
  const mark = order === 'add' ? ` : ${epoch}` : ''
  return [
    `${order} element inet ${table} sources { "${interfaceName}" . ${address} }`,
    `${order} element inet ${table} gateways { "${interfaceName}" . ${gatewayAddress} }`,
    `${order} element inet ${table} epochs { "${interfaceName}"${mark} }`,
    `${order} element inet ${table} current { "${interfaceName}" . ${epoch} }`,
    `${order} element inet ${table} egress { "${interfaceName}"${target} }`,
    ...(isRelayed ? [`${order} element inet ${table} relayed { "${interfaceName}" }`] : []),
  ]
}

/** Deleting a missing element fails the whole transaction, so it is added first. */
export function renderRemoval(options: { table: string; entry: FirewallEntry }): string[] {
  return [
    ...renderEntry({ ...options, order: 'add' }),
    ...renderEntry({ ...options, order: 'delete' }),
    ...renderCounterRemoval(options),
  ]
}

/** Counters of an interface are created with its first connection and would stay forever. */
function renderCounterRemoval({ table, entry }: { table: string; entry: FirewallEntry }): string[] {
  return ['newcomers', 'open_connections', 'sent', 'received'].flatMap((set) =>
    ['add', 'delete'].map((order) => `${order} element inet ${table} ${set} { "${entry.interfaceName}" }`),
  )
}

/** Allows a burst of one second. An element keeps the rate that it was created with, so the sets are flushed before. */
function renderRate(options: { set: string; key: string; settings: FirewallSettings }): string {
  const { set, key, settings } = options
  const { bytesPerSecond } = settings
  return bytesPerSecond === 0 ? '' : `add @${set} { ${key} limit rate over ${bytesPerSecond} bytes/second } drop`
}

function renderProxy(proxy: Proxy): string {
  return `${proxy.address} . ${proxy.port}`
}

/** An empty list of elements is a syntax error in nftables. */
function renderElements(head: string, elements: readonly string[]): string {
  return `${head}${elements.length === 0 ? '' : ` elements = { ${elements.join(', ')} }`} }`
}

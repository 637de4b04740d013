import {
  formatIpv4,
  formatIpv4Range,
  type Ipv4Range,
  ipv4RangeSize,
  parseIpv4,
  parseIpv4Range,
} from '@threadbox/domain'
import { isNeverReached, isPrivateRange } from './private-ranges.logic.ts'

/**
 * What of the machine’s own network is denied to sandboxes, without ranges of which sandboxes reach no address anyway.
 */
export type MachineNetwork = {
  /** Also private ones: the owner can let sandboxes reach private networks of the machine, but not the machine. */
  addresses: readonly string[]
  /**
   * Prefixes of neighbors, if public, and default gateways, which forward packets but are never destinations.
   */
  links: readonly string[]
}

export type MachineInterface = {
  ifname: string
  flags: readonly string[]
  addr_info: readonly {
    family?: string | undefined
    local?: string | undefined
    address?: string | undefined
    prefixlen?: number | undefined
  }[]
}

export type MachineRoute = {
  dst: string
  type?: string | undefined
  dev?: string | undefined
  gateway?: string | undefined
  nexthops?: readonly { gateway?: string | undefined }[] | undefined
}

/**
 * The internet has no larger network on one link. A shorter prefix is a tunnel or a provider’s on-link default route,
 * and would deny the internet.
 */
const shortestPrefixLength = 8

/**
 * Every address of the machine, the prefixes on its links, and its default gateways. Routes through an interface that
 * resolves no neighbors (a tunnel) lead to other networks, not to machines on a link: of those, only the prefix of the
 * interface’s own address counts.
 */
export function describeMachineNetwork(options: {
  interfaces: readonly MachineInterface[]
  localRoutes: readonly MachineRoute[]
  linkRoutes: readonly MachineRoute[]
  defaultRoutes: readonly MachineRoute[]
}): MachineNetwork {
  const { interfaces, localRoutes, linkRoutes, defaultRoutes } = options
  const inet = interfaces.flatMap(({ ifname, addr_info }) =>
    addr_info.filter(({ family }) => family === 'inet').map((info) => ({ ifname, ...info })),
  )
  const tunnels = new Set(interfaces.filter(({ flags }) => flags.includes('NOARP')).map(({ ifname }) => ifname))
  const onLink = linkRoutes.filter(({ type, dev = '' }) => (type ?? 'unicast') === 'unicast' && !tunnels.has(dev))
  const prefixes = inet
    .filter(({ ifname }) => ifname !== 'lo')
    .map(({ local = '', address = local, prefixlen = 32 }) => networkOf(`${address}/${prefixlen}`))
  const gateways = defaultRoutes.flatMap(({ gateway, nexthops = [] }) => [
    gateway,
    ...nexthops.map((hop) => hop.gateway),
  ])
  return {
    addresses: listed([
      ...inet.map(({ local = '' }) => networkOf(local)),
      ...localRoutes.map(({ dst }) => networkOf(dst)),
    ]),
    links: listed([
      ...[...prefixes, ...onLink.map(({ dst }) => networkOf(dst))].filter(isPublicLink),
      ...gateways.map((gateway = '') => networkOf(gateway)),
    ]),
  }
}

function isPublicLink(range: Ipv4Range | undefined): boolean {
  return range !== undefined && range.prefixLength >= shortestPrefixLength && !isPrivateRange(range)
}

/** The network of an address, with or without a prefix length; undefined for anything else, such as `default`. */
function networkOf(text: string): Ipv4Range | undefined {
  const [address = '', length = '32'] = text.split('/')
  const value = parseIpv4(address)
  if (value === undefined) return undefined
  return parseIpv4Range(`${formatIpv4(value - (value % ipv4RangeSize({ prefixLength: Number(length) })))}/${length}`)
}

function listed(ranges: readonly (Ipv4Range | undefined)[]): string[] {
  const found = ranges.filter((range) => range !== undefined).filter((range) => !isNeverReached(range))
  // nftables finds a single address in an interval set only without its prefix length.
  return [...new Set(found.map((range) => formatIpv4Range(range).replace(/\/32$/, '')))].sort()
}

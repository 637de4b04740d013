import { BlockList, isIP } from 'node:net'
import { privateIpv4Ranges, privateIpv6Ranges } from '@threadbox/domain'
import { connectionAddressInvalid, connectionAddressRefused } from './outbound.errors.ts'

/** Allowed targets beside the internet: names as written, addresses and ranges. */
export type AllowedAddresses = { names: ReadonlySet<string>; ranges: Ranges }

/** By family: in one list, a range of IPv4 addresses inside IPv6 would include all of IPv4. */
type Ranges = { 4: BlockList; 6: BlockList }

const privateRanges = rangesOf([...privateIpv4Ranges, ...privateIpv6Ranges])

/** Parses the setting: names, addresses and ranges such as `10.1.0.0/16`, separated by commas. */
export function allowedAddressesOf(text: string): AllowedAddresses {
  const items = text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
  const isRange = (item: string) => isIP(item.split('/')[0] ?? '') !== 0
  return { names: new Set(items.filter((item) => !isRange(item))), ranges: rangesOf(items.filter(isRange)) }
}

/** Returns whether a connection to this address is allowed. An address that can't be parsed isn't. */
export function mayConnectTo(address: string, allowed: AllowedAddresses): boolean {
  return isIP(address) !== 0 && (isWithin(allowed.ranges, address) || !isWithin(privateRanges, address))
}

export function isAllowedName(hostname: string, allowed: AllowedAddresses): boolean {
  return allowed.names.has(hostname.toLowerCase())
}

/**
 * Parses the URL of a server and checks what can be checked without resolving its name: `guardedLookup` checks the rest
 * when connecting. Throws
 * `connection.address-invalid` and `connection.address-refused`. Unencrypted URLs are only for addresses that the
 * administrator allowed.
 */
export function parseAllowedUrl(text: string, allowed: AllowedAddresses): URL {
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw connectionAddressInvalid({ problem: 'it contains a username or password.' })
  }
  if (url.hash !== '') throw connectionAddressInvalid({ problem: 'it contains a fragment (#…).' })
  const host = hostOf(url)
  const isNamed = isAllowedName(host, allowed)
  const isAllowedRange = isWithin(allowed.ranges, host)
  if (!isNamed && isIP(host) !== 0 && !mayConnectTo(host, allowed)) throw connectionAddressRefused({ host })
  if (!isNamed && (host === 'localhost' || host.endsWith('.localhost'))) throw connectionAddressRefused({ host })
  if (url.protocol !== 'https:' && !isNamed && !isAllowedRange) {
    throw connectionAddressInvalid({ problem: 'it must use HTTPS.' })
  }
  return url
}

/** The host in the form of the resolver and the socket: IPv6 addresses without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function rangesOf(texts: readonly string[]): Ranges {
  const ranges: Ranges = { 4: new BlockList(), 6: new BlockList() }
  for (const text of texts) {
    const [address = '', length] = text.split('/')
    if (isIP(address) === 4) ranges[4].addSubnet(address, Number(length ?? 32), 'ipv4')
    else ranges[6].addSubnet(address, Number(length ?? 128), 'ipv6')
  }
  return ranges
}

function isWithin(ranges: Ranges, address: string): boolean {
  const version = isIP(address)
  if (version === 4) return ranges[4].check(address, 'ipv4')
  return version === 6 && ranges[6].check(address, 'ipv6')
}

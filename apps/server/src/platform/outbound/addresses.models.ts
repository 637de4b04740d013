import { BlockList, isIP } from 'node:net'
import { privateIpv4Ranges, privateIpv6Ranges } from '@threadbox/domain'
import { connectionAddressInvalid, connectionAddressRefused } from './outbound.errors.ts'

/** Where connections may lead beside the internet: names as they are written, addresses and ranges. */
export type AllowedAddresses = { names: ReadonlySet<string>; ranges: Ranges }

/** By family: in one list, a range of IPv4 addresses inside IPv6 would take in all of IPv4. */
type Ranges = { 4: BlockList; 6: BlockList }

const privateRanges = rangesOf([...privateIpv4Ranges, ...privateIpv6Ranges])

/** Reads the setting: names, addresses and ranges such as `10.1.0.0/16`, separated by commas. */
export function allowedAddressesOf(text: string): AllowedAddresses {
  const items = text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
  const isRange = (item: string) => isIP(item.split('/')[0] ?? '') !== 0
  return { names: new Set(items.filter((item) => !isRange(item))), ranges: rangesOf(items.filter(isRange)) }
}

/** Whether a connection may be made to this address. What cannot be judged is not let through. */
export function mayConnectTo(address: string, allowed: AllowedAddresses): boolean {
  return isIP(address) !== 0 && (isWithin(allowed.ranges, address) || !isWithin(privateRanges, address))
}

export function isAllowedName(hostname: string, allowed: AllowedAddresses): boolean {
  return allowed.names.has(hostname.toLowerCase())
}

/**
 * The address of a server, as far as it can be judged without asking for it. Throws `connection.address-invalid` and
 * `connection.address-refused`. Unencrypted ones are only for addresses that the administrator named.
 */
export function checkedUrl(text: string, allowed: AllowedAddresses): URL {
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

/** The host as the resolver and the socket take it: IPv6 addresses without brackets. */
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

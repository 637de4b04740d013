import { containsIpv4, formatIpv4Range, type Ipv4Range, parseIpv4, parseIpv4Range } from './ipv4.ts'
import { isPort, parseNetworkName } from './network-name.ts'
import { grantableIpv4Ranges } from './private-ranges.ts'

/**
 * A service in a private network that sandboxes can reach: by this name, at this port, while the name’s addresses are in
 * this range (`10.1.2.0/24`).
 */
export type PrivateAddress = { name: string; port: number; range: string }

/**
 * Why an entry is refused. `name`, `port`, `range`: not in a form that has one reading, or a port that no sandbox reaches.
 * `range-too-wide`: more than 65,536 addresses. `range-refused`: public addresses, or those of machines that no
 * sandbox reaches, such as loopback, link-local and metadata addresses.
 */
export type PrivateAddressProblem = 'name' | 'port' | 'range' | 'range-too-wide' | 'range-refused'

/** A service has few addresses: as many as the largest subnet of a cloud. */
const shortestPrefixLength = 16
/** DNS, which would lead around the policy, and mail. */
const closedPorts: readonly number[] = [25, 53, 465, 587]

/** The form in which an entry is stored and compared. A range without a length is one address. */
export function parsePrivateAddress(entry: PrivateAddress): PrivateAddress | { problem: PrivateAddressProblem } {
  const parsed = parseNetworkName(entry.name)
  if ('problem' in parsed || parsed.name.startsWith('*')) return { problem: 'name' }
  if (!isPort(String(entry.port)) || closedPorts.includes(entry.port)) return { problem: 'port' }
  const text = entry.range.trim()
  const range = parseIpv4Range(text.includes('/') ? text : `${text}/32`)
  if (range === undefined) return { problem: 'range' }
  if (range.prefixLength < shortestPrefixLength) return { problem: 'range-too-wide' }
  if (!isGrantable(range)) return { problem: 'range-refused' }
  return { name: parsed.name, port: entry.port, range: formatIpv4Range(range) }
}

/** The ranges in which the addresses of a name at a port must be; none if the list doesn’t have it. */
export function rangesOf(list: readonly PrivateAddress[], wanted: { name: string; port: number }): string[] {
  return list.filter(({ name, port }) => name === wanted.name && port === wanted.port).map(({ range }) => range)
}

/** Whether an address in its usual form is in one of these ranges, and one that can be allowed at all. */
export function isGrantedAddress(text: string, ranges: readonly string[]): boolean {
  const address = parseIpv4(text)
  if (address === undefined || !isGrantable({ base: address, prefixLength: 32 })) return false
  return ranges.map(parseIpv4Range).some((range) => range !== undefined && containsIpv4(range, address))
}

function isGrantable(range: Ipv4Range): boolean {
  return grantable.some((outer) => outer.prefixLength <= range.prefixLength && containsIpv4(outer, range.base))
}

const grantable = grantableIpv4Ranges.map(parseIpv4Range).filter((range) => range !== undefined)

import {
  containsIpv4,
  grantableIpv4Ranges,
  type Ipv4Range,
  parseIpv4,
  parseIpv4Range,
  privateIpv4Ranges,
} from '@threadbox/domain'

/** Addresses that no sandbox can reach and that no name may resolve to, except for services that the owner listed. */
export const privateRanges = privateIpv4Ranges

const parsedRanges = parsed(privateRanges)
const grantable = parsed(grantableIpv4Ranges)

/** Also true for text that is not an IPv4 address: what cannot be checked is not allowed. */
export function isPrivateAddress(text: string): boolean {
  const address = parseIpv4(text)
  return address === undefined || parsedRanges.some((range) => containsIpv4(range, address))
}

export function isPrivateRange(range: Ipv4Range): boolean {
  return isWithin(range, parsedRanges)
}

/** Whether it has only addresses that the owner can’t let sandboxes reach either. */
export function isNeverReached(range: Ipv4Range): boolean {
  return isPrivateRange(range) && !isWithin(range, grantable)
}

function isWithin(range: Ipv4Range, outer: readonly Ipv4Range[]): boolean {
  return outer.some((known) => containsIpv4(known, range.base) && known.prefixLength <= range.prefixLength)
}

function parsed(ranges: readonly string[]): Ipv4Range[] {
  return ranges.map(parseIpv4Range).filter((range) => range !== undefined)
}

import { containsIpv4, type Ipv4Range, parseIpv4, parseIpv4Range, privateIpv4Ranges } from '@threadbox/domain'

/** Addresses that no sandbox can reach and that no name may resolve to. */
export const privateRanges = privateIpv4Ranges

const parsedRanges = privateRanges.map((text) => parseIpv4Range(text)).filter((range) => range !== undefined)

/** Also true for text that is not an IPv4 address: what cannot be checked is not allowed. */
export function isPrivateAddress(text: string): boolean {
  const address = parseIpv4(text)
  return address === undefined || parsedRanges.some((range) => containsIpv4(range, address))
}

export function isPrivateRange(range: Ipv4Range): boolean {
  return parsedRanges.some((known) => containsIpv4(known, range.base) && known.prefixLength <= range.prefixLength)
}

import { privateIpv4Ranges } from '@threadbox/domain'
import { contains, type Ipv4Range, parseIpv4, parseRange } from './ipv4.logic.ts'

/** Addresses that no sandbox can reach and that no name may resolve to. */
export const privateRanges = privateIpv4Ranges

const parsedRanges = privateRanges.map((text) => parseRange(text)).filter((range) => range !== undefined)

/** Also true for text that is not an IPv4 address: what cannot be checked is not allowed. */
export function isPrivateAddress(text: string): boolean {
  const address = parseIpv4(text)
  return address === undefined || parsedRanges.some((range) => contains(range, address))
}

export function isPrivateRange(range: Ipv4Range): boolean {
  return parsedRanges.some((known) => contains(known, range.base) && known.prefixLength <= range.prefixLength)
}

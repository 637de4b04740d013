import { contains, type Ipv4Range, parseIpv4, parseRange } from './ipv4.models.ts'

/**
 * Addresses that no sandbox reaches and that no name may lead to: this network, private networks, shared address space
 * (Tailscale, carriers), loopback, link-local with the metadata services of clouds, protocol assignments,
 * documentation range 1, benchmarking, multicast, reserved and broadcast (RFC 6890).
 */
export const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

const parsedRanges = privateRanges.map((text) => parseRange(text)).filter((range) => range !== undefined)

/** True also for what is no IPv4 address at all: what cannot be judged is not let through. */
export function isPrivateAddress(text: string): boolean {
  const address = parseIpv4(text)
  return address === undefined || parsedRanges.some((range) => contains(range, address))
}

export function isPrivateRange(range: Ipv4Range): boolean {
  return parsedRanges.some((known) => contains(known, range.base) && known.prefixLength <= range.prefixLength)
}

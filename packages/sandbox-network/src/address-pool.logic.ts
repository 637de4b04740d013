import {
  containsIpv4,
  formatIpv4,
  formatIpv4Range,
  type Ipv4Range,
  ipv4RangeSize,
  overlapsIpv4,
  parseIpv4,
  parseIpv4Range,
} from '@threadbox/domain'
import { isPrivateRange } from './private-ranges.logic.ts'
import { addressInvalid, noAddressLeft, poolInvalid } from './sandbox-network.errors.ts'

/**
 * The addresses of one installation. Each sandbox has a block of four: network, the router’s end (gateway), the sandbox,
 * broadcast. The first block belongs to the installation.
 */
export type AddressPool = {
  range: Ipv4Range
  text: string
  /** On the machine’s loopback interface: marks the range as this installation’s. */
  claimAddress: string
  /** The two ends of the link between the machine and the router. The DNS server listens on the router’s. */
  machineAddress: string
  routerAddress: string
  addresses(): Iterable<string>
  /** Throws `network.address-invalid` for an address that {@link AddressPool.addresses} does not list. */
  gatewayOf(address: string): string
}

const blockSize = 4
const sandboxOffset = 2
const sharedAddressSpace = { base: 0x64400000, prefixLength: 10 }

/** Throws `network.pool-invalid` unless it is a private range of a usable size without another known use. */
export function makeAddressPool(text: string): AddressPool {
  const range = parseIpv4Range(text)
  if (range === undefined) throw poolInvalid({ pool: text, reason: 'it is not written as a.b.c.d/n' })
  if (range.prefixLength < 8 || range.prefixLength > 28) {
    throw poolInvalid({ pool: text, reason: 'its prefix is shorter than 8 or longer than 28' })
  }
  if (overlapsIpv4(range, sharedAddressSpace)) {
    throw poolInvalid({ pool: text, reason: '100.64.0.0/10 belongs to Tailscale and to internet providers' })
  }
  if (!isPrivateRange(range)) throw poolInvalid({ pool: text, reason: 'its addresses aren’t private' })
  return {
    range,
    text: formatIpv4Range(range),
    claimAddress: formatIpv4(range.base + 1),
    machineAddress: formatIpv4(range.base + 2),
    routerAddress: formatIpv4(range.base + 3),
    *addresses() {
      for (let block = range.base + blockSize; block < range.base + ipv4RangeSize(range); block += blockSize) {
        yield formatIpv4(block + sandboxOffset)
      }
    },
    gatewayOf(address) {
      const value = parseIpv4(address)
      const isUsable = value !== undefined && containsIpv4(range, value) && value % blockSize === sandboxOffset
      if (!isUsable || value < range.base + blockSize) throw addressInvalid({ address, pool: text })
      return formatIpv4(value - 1)
    },
  }
}

/** Returns the first free address. Throws `network.no-address-left`. */
export function firstFreeAddress(options: { addresses: Iterable<string>; taken: ReadonlySet<string>; pool: string }) {
  for (const address of options.addresses) if (!options.taken.has(address)) return address
  throw noAddressLeft({ pool: options.pool })
}

/**
 * The ranges to choose from by default: eight parts of the benchmarking range, which is never routed on the internet
 * and rarely inside a company, then parts of private ranges. Each has addresses for 4095 sandboxes.
 */
const candidates = [
  ...Array.from({ length: 8 }, (_, part) => `198.${18 + (part >> 2)}.${(part & 3) * 64}.0/18`),
  ...Array.from({ length: 4 }, (_, part) => `172.31.${part * 64}.0/18`),
  ...Array.from({ length: 4 }, (_, part) => `10.201.${part * 64}.0/18`),
]

/**
 * Returns a range that overlaps no route of this host. Another installation’s range has a route, so two never choose
 * the same. The caller keeps the result permanently, because addresses belong to sandboxes also while nothing is
 * running.
 */
export function chooseAddressPool(options: { routes: readonly Ipv4Range[] }): string {
  const free = candidates.find((text) => isFree({ text, routes: options.routes }))
  if (free === undefined) throw poolInvalid({ pool: '(automatic)', reason: 'this host has routes to all of them' })
  return free
}

/**
 * The range of addresses that stand for names, outside of the pool. They exist only in the router, so another installation
 * can have the same.
 */
export function virtualRangeOf(pool: AddressPool): string {
  const free = ['198.19.0.0/18', '198.19.64.0/18', '172.31.0.0/18'].find((text) => {
    const range = parseIpv4Range(text)
    return range !== undefined && !overlapsIpv4(range, pool.range)
  })
  if (free === undefined) throw poolInvalid({ pool: pool.text, reason: 'it is too large' })
  return free
}

/** The address with this number in a range; undefined beyond its end. */
export function addressIn(text: string, number: number): string | undefined {
  const range = parseIpv4Range(text)
  return range === undefined || number >= ipv4RangeSize(range) ? undefined : formatIpv4(range.base + number)
}

function isFree(options: { text: string; routes: readonly Ipv4Range[] }): boolean {
  const range = parseIpv4Range(options.text)
  return range !== undefined && !options.routes.some((route) => overlapsIpv4(route, range))
}

import { BlockList, isIPv4, type Socket } from 'node:net'
import { orAborted } from '@threadbox/concurrency'
import { isGrantedAddress, privateIpv4Ranges } from '@threadbox/domain'
import type { RefusalReason } from '@threadbox/protocol/egress'
import { type BulkReader, makeBulkReader } from './bulk-reader.ts'
import type { ConnectTo } from './connect-to.ts'
import type { ResolveName } from './name-resolver.ts'

/** With a `reader`, that gets what the socket receives. */
export type Reached = { socket: Socket; reader?: BulkReader } | { refused: RefusalReason }

export type ReachTarget = {
  name: string
  port: number
  /** Ranges of private addresses in which the name must be. None: its addresses must be public. */
  ranges: readonly string[]
  /** A `reader` is wanted, if there can be one. */
  inBulk?: boolean
}

/** Opens a connection to a name. `signal` only ends the attempt. */
export type ReachName = (target: ReachTarget & { signal: AbortSignal }) => Promise<Reached>

/** How long one address can take to accept a connection; a SYN is repeated after 1, 3 and 7 s. */
const connectMs = 10_000
/** A name with more addresses than this is one whose first ones are as good as any. */
const maxAddresses = 3

/**
 * Connects to an address that the name has now and that sandboxes can reach. What was checked is what is connected to, so
 * a name that changes in between changes nothing.
 */
export function makeDirectReach({ resolve, connect }: { resolve: ResolveName; connect: ConnectTo }): ReachName {
  return async ({ name, port, ranges, signal, inBulk = false }) => {
    const found = await orAborted(resolve(name), signal).catch(() => [])
    if (found.length === 0) return { refused: 'name-unresolved' }
    const isPrivate = ranges.length > 0
    // A name with an address elsewhere may have been taken over: which of its addresses is right is not known.
    if (isPrivate && !found.every((address) => isGrantedAddress(address, ranges))) {
      return { refused: 'address-out-of-range' }
    }
    const usable = isPrivate ? found : found.filter((address) => isPublic(address))
    if (usable.length === 0) return { refused: 'address-private' }
    for (const address of usable.slice(0, maxAddresses)) {
      if (signal.aborted) break
      const either = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
      const reader = inBulk ? makeBulkReader() : undefined
      const socket = await connect({ address, port, signal: either, reader }).catch(() => undefined)
      if (socket !== undefined) return { socket, ...(reader !== undefined && { reader }) }
    }
    return { refused: 'unreachable' }
  }
}

const privateAddresses = new BlockList()
for (const range of privateIpv4Ranges) {
  const [address = '', prefix = '32'] = range.split('/')
  privateAddresses.addSubnet(address, Number(prefix), 'ipv4')
}

/** False for everything but an IPv4 address in its usual form: what cannot be checked is not allowed. */
function isPublic(address: string): boolean {
  return isIPv4(address) && !privateAddresses.check(address, 'ipv4')
}

import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'

/**
 * The address of the client that sent a request: the only source of it for limits, logs, the audit log and previews.
 * IPv4 in dotted form, also if it arrived as IPv6 (`::ffff:192.0.2.7`). Empty if the connection has already ended.
 */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/** The name that requests without a connection have (in-process callers). */
export const noAddress = 'local'

/**
 * Follows `X-Forwarded-For` from the last hop to the first as long as hops are trusted, and returns the first one that
 * isn't: what stands before it was written by the client. The header of an untrusted peer is ignored, and
 * `onIgnored` is called. A hop that isn't an address ends the search at the proxy that sent it.
 *
 * `trustedProxies` are addresses, ranges and proxy-addr’s names of ranges, separated by commas.
 */
export function makeClientAddress(options: { trustedProxies: string; onIgnored?: () => void }): ClientAddress {
  const trusted = options.trustedProxies
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const isTrusted = proxyAddr.compile(trusted)
  return ({ headers, socket }) => {
    const peer = socket.remoteAddress ?? ''
    if (headers['x-forwarded-for'] === undefined || peer === '') return plainAddress(peer) ?? peer
    const hops = [headers['x-forwarded-for']].flat().join(',').split(',').map(plainAddress)
    // Hops before one that isn't an address can't be attributed to anyone.
    const known = hops.slice(hops.lastIndexOf(undefined) + 1).join(', ')
    if (!isTrusted(peer, 0)) options.onIgnored?.()
    const request = { headers: { 'x-forwarded-for': known || peer }, socket, connection: socket }
    const found = proxyAddr(request as unknown as IncomingMessage, isTrusted)
    return plainAddress(found) ?? found
  }
}

/** Returns the client’s network, which limits count: an IPv4 address, or the /64 that an IPv6 subscriber has. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}

/** The address of a hop without the port that some proxies add, and without a zone. Undefined if it isn't one. */
function plainAddress(hop: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(hop.trim()) ?? []
  const address = (bracketed ?? dotted ?? hop.trim()).replace(/%.*$/, '')
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? ipaddr.process(address).toString() : undefined
}

import type { IncomingHttpHeaders } from 'node:http'
import { posix } from 'node:path'
import { accessTokenHeader, codePort, guestPort, guestPorts, runs } from '@threadbox/protocol/guest'
import {
  backgroundHeader,
  bootHeader,
  cellHeader,
  errorHeader,
  hostTokenHeader,
  watchHeader,
} from '@threadbox/protocol/host'

/** The part of a sandbox that a request goes to. */
export type Target = {
  sandboxId: string
  kind: 'guest' | 'code' | 'port'
  port: number
  /** Path and query as the sandbox sees them. */
  path: string
}

const targetPattern = /^\/v1\/sandboxes\/([a-z0-9]+)\/(guest|code|port\/(\d{1,5}))(\/[^?]*)?(\?.*)?$/

/** Returns the target of a gateway request, or undefined if the URL is not one of the gateway's. */
export function targetOf(url: string): Target | undefined {
  const match = targetPattern.exec(url)
  if (match === null) return undefined
  const [, sandboxId = '', kindAndPort = '', portText, path = '/', query = ''] = match
  const kind = portText === undefined ? (kindAndPort as 'guest' | 'code') : 'port'
  const port = kind === 'guest' ? guestPort : kind === 'code' ? codePort : Number(portText)
  if (port < 1 || port > 65_535) return undefined
  return { sandboxId, kind, port, path: path + query }
}

/** True for a request to run a Python cell, over each of the guest’s protocols. The server reads and starts in one request. */
export function runsPython({ kind, path }: Target, headers: IncomingHttpHeaders): boolean {
  const [name] = path.split('?')
  if (kind === 'code') return name === '/execute'
  return kind === 'guest' && (name === startCellPath || headers[cellHeader] !== undefined)
}

const startCellPath = `/${runs.Runs.typeName}/${runs.Runs.method.startCell.name}`

/** Routes of the guest that only the host daemon itself can call. */
const hostOnlyPaths = /^\/(init$|disk$|prewarm$|template$|tunnel\/)/

/** True if the guest would route this path to one of its host-only routes, however it is written. */
export function isHostOnly(target: Target): boolean {
  if (target.port !== guestPort) return false
  const decoded = decodeLoosely(target.path.split(/[?#]/)[0] ?? '').toLowerCase()
  return hostOnlyPaths.test(posix.join('/', decoded).replace(/(.)\/$/, '$1'))
}

/**
 * True for a port of the guest that is only for programs of the sandbox, because it requires no token. The guest's
 * other ports require one, however they are reached.
 */
export function isInsideOnly({ port }: Target): boolean {
  return guestPorts.includes(port) && port !== guestPort && port !== codePort
}

function decodeLoosely(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Tells whether a request only follows changes in its sandbox, so that the sandbox can rest while it is open. */
export function followsChanges({ kind }: Target, headers: IncomingHttpHeaders): boolean {
  return kind === 'guest' && headers[watchHeader] !== undefined
}

/** Headers of one connection (RFC 9110, 7.6.1), which a gateway never passes on. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers for the sandbox: without those of this connection and the host's own, and with the access token of this boot
 * instead of the client's. Names and values alternate, as Node gives them, so repeats stay repeats.
 */
export function headersForSandbox(options: {
  rawHeaders: readonly string[]
  target: Target
  accessToken: string
  isUpgrade: boolean
}): string[] {
  const { rawHeaders, target, accessToken, isUpgrade } = options
  const kept = forwardable(rawHeaders).filter(([name]) => !hostOwn.has(name.toLowerCase()))
  // A service gets the hostname that the client requested; the guest does not use it.
  if (target.kind !== 'port') kept.push([accessTokenHeader, accessToken])
  // Set again for this connection: without it a body of a DELETE, for one, would be sent without framing.
  if (headerValue(rawHeaders, 'transfer-encoding') !== '') kept.push(['transfer-encoding', 'chunked'])
  if (isUpgrade) kept.push(['connection', 'Upgrade'], ['upgrade', headerValue(rawHeaders, 'upgrade')])
  return kept.flat()
}

/** A service in a sandbox must get neither the guest's token nor the host's. */
const hostOwn = new Set([accessTokenHeader, hostTokenHeader, bootHeader, backgroundHeader, cellHeader, watchHeader])

/** Headers of a sandbox's response. The gateway's own error code never comes from a sandbox. */
export function headersForClient(rawHeaders: readonly string[]): string[] {
  return forwardable(rawHeaders)
    .filter(([name]) => name.toLowerCase() !== errorHeader)
    .flat()
}

function forwardable(rawHeaders: readonly string[]): [string, string][] {
  const pairs = pairsOf(rawHeaders)
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()))
  return pairs.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.includes(name.toLowerCase()))
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return pairs
}

function headerValue(rawHeaders: readonly string[], wanted: string): string {
  return pairsOf(rawHeaders).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
}

import { endToEnd, type HeaderPair, isOwnCookie, pairsOf } from './header-pairs.logic.ts'
import type { PreviewNames } from './preview-names.logic.ts'

export type RequestHeaderOptions = {
  rawHeaders: readonly string[]
  host: string
  port: number
  clientAddress: string
  isUpgrade: boolean
  names: PreviewNames
}

/** Set here for the service, so that values from the client do not reach it. */
const ownNames = /^(host|origin|cookie|expect|forwarded|x-forwarded-.*|x-real-ip|via|threadbox-.*|x-access-token)$/

/**
 * The headers that a service gets: the page's own, without what belongs to threadbox.
 *
 * Development servers respond with an error under a name that they do not know; all of them know `localhost` and names
 * below it. A request therefore carries the preview's real name where that is below `localhost`, which keeps URLs that the
 * service builds from it right, and `localhost:<port>` elsewhere. Sockets always carry `localhost:<port>`: some servers
 * compare their origin with a list that has only this name. `Origin` follows `Host`, since others compare the two;
 * `x-forwarded-*` always have the real values.
 */
export function headersForService(options: RequestHeaderOptions): string[] {
  const { rawHeaders, host, port, names, isUpgrade } = options
  const pairs = endToEnd(pairsOf(rawHeaders))
  const isRenamed = isUpgrade || !names.hasLocalNames
  const kept = pairs.filter(([name]) => !ownNames.test(name.toLowerCase()))
  kept.push(['host', isRenamed ? `localhost:${port}` : host])
  for (const [name, value] of pairs) {
    if (name.toLowerCase() === 'origin') kept.push(['origin', originFor(value, options, isRenamed)])
  }
  const cookies = pageCookies(pairs)
  if (cookies !== '') kept.push(['cookie', cookies])
  kept.push(
    ['x-forwarded-for', options.clientAddress],
    ['x-forwarded-host', host],
    ['x-forwarded-proto', names.isSecure(host) ? 'https' : 'http'],
  )
  return kept.flat()
}

function originFor(origin: string, options: RequestHeaderOptions, isRenamed: boolean): string {
  return isRenamed && origin === options.names.ownOrigin(options.host) ? `http://localhost:${options.port}` : origin
}

/** The cookies of the page, unchanged. */
function pageCookies(pairs: readonly HeaderPair[]): string {
  return pairs
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(';'))
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '' && !isOwnCookie(cookie.split('=')[0] ?? ''))
    .join('; ')
}

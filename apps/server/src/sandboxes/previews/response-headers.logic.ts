import { previewFrameSandbox } from '@threadbox/protocol/public/preview-frame'
import { endToEnd, type HeaderPair, isOwnCookie, pairsOf } from './header-pairs.logic.ts'

export type ResponseHeaderOptions = {
  rawHeaders: readonly string[]
  /** The preview’s origin, and the port under which its service may know itself. */
  origin: string
  port: number
  /** The app that can show the page in a frame; empty for none. */
  appOrigin: string
  isFramed: boolean
}

/**
 * Dropped, because they apply to more than the page’s origin: `clear-site-data` would end the session of the app, which
 * is on the same site, the others would bind the port that all share. A policy replaces `x-frame-options`.
 */
const droppedNames = /^(x-frame-options|clear-site-data|strict-transport-security|alt-svc|threadbox-.*)$/

/**
 * The headers of a service’s response for the browser: the service’s own, except those that would reach beyond its
 * origin.
 */
export function headersForBrowser(options: ResponseHeaderOptions): string[] {
  const kept = endToEnd(pairsOf(options.rawHeaders)).flatMap((pair): HeaderPair[] => {
    const name = pair[0].toLowerCase()
    if (droppedNames.test(name)) return []
    if (name === 'set-cookie') return withoutReach(pair)
    if (name === 'location' || name === 'content-location') return [[pair[0], relocated(pair[1], options)]]
    if (name === 'content-security-policy') return withoutAncestors(pair)
    return [pair]
  })
  kept.push(['content-security-policy', framePolicy(options)])
  return kept.flat()
}

/** All policies apply, so this one only adds to the page’s own. */
export function framePolicy(options: Pick<ResponseHeaderOptions, 'appOrigin' | 'isFramed'>): string {
  const ancestors = `frame-ancestors 'self' ${options.appOrigin}`.trim()
  return options.isFramed ? `${ancestors}; sandbox ${previewFrameSandbox}` : ancestors
}

/** A cookie stays on the page’s own host: one for the whole domain would reach the app and other previews. */
function withoutReach([name, value]: HeaderPair): HeaderPair[] {
  const [cookie = '', ...attributes] = value.split(';')
  if (isOwnCookie(cookie.split('=')[0] ?? '')) return []
  const kept = attributes.filter((attribute) => !/^\s*domain\s*=/i.test(attribute))
  return [[name, [cookie, ...kept].join(';')]]
}

/** The page’s own choice of frames does not matter here: only the app can frame it. */
function withoutAncestors([name, value]: HeaderPair): HeaderPair[] {
  const policies = value
    .split(',')
    .map((policy) =>
      policy
        .split(';')
        .filter((directive) => !/^\s*frame-ancestors(\s|$)/i.test(directive))
        .join(';')
        .trim(),
    )
    .filter((policy) => policy !== '')
  return policies.length === 0 ? [] : [[name, policies.join(', ')]]
}

/** A service that believes that it is at localhost or without TLS redirects to addresses that do not exist here. */
function relocated(location: string, { origin, port }: ResponseHeaderOptions): string {
  const host = new URL(origin).host
  const match = /^https?:\/\/([^/?#]+)/i.exec(location)
  const name = match?.[1]?.toLowerCase()
  const own = [host, `localhost:${port}`, `127.0.0.1:${port}`, `0.0.0.0:${port}`, `[::1]:${port}`]
  if (port === 80) own.push('localhost', '127.0.0.1')
  return name !== undefined && own.includes(name) ? origin + location.slice(match?.[0].length) : location
}

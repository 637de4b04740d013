import type { IncomingHttpHeaders } from 'node:http'
import type { PreviewAddress, PreviewNames } from './preview-names.logic.ts'

/**
 * How a request counts for the sandbox. A person’s visit wakes it and keeps it awake; background requests of an open
 * page (polling, live reload, streams, reloads by the page) do neither.
 */
export type Visit = {
  /** The response is shown as a page. */
  isPage: boolean
  /** A person wants to see or send something. */
  isDeliberate: boolean
  /** Deliberate, and it can be repeated after a wait. */
  mayWake: boolean
}

const pageTargets = new Set(['document', 'iframe', 'frame'])

/** Over TLS and under localhost, browsers say what a request is for; elsewhere, asking for HTML has to be enough. */
export function judgeVisit(method: string, headers: IncomingHttpHeaders): Visit {
  const mode = headers['sec-fetch-mode']
  const isPage =
    mode === undefined
      ? (headers.accept ?? '').includes('text/html') && headers.upgrade === undefined
      : mode === 'navigate' && pageTargets.has(String(headers['sec-fetch-dest']))
  const isPrefetch = /prefetch|prerender|preview/.test(`${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''}`)
  // A page that navigates to its own origin without a click.
  const isSelfNavigation = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-user'] !== '?1'
  const isDeliberate = isPage && !isPrefetch && !isSelfNavigation
  return { isPage, isDeliberate, mayWake: isDeliberate && method === 'GET' }
}

/**
 * True if a page of another origin sends this request: it carries the preview’s cookie, because all previews and the
 * app are one site for a browser, and must not act with it. Pages can be opened from anywhere; the ports of one thread
 * can talk to each other.
 */
export function isForeign(options: {
  method: string
  headers: IncomingHttpHeaders
  address: PreviewAddress
  host: string
  names: PreviewNames
}): boolean {
  const { method, headers, address, host, names } = options
  const isSibling = (origin: string) =>
    names.portOfSibling(origin, { label: address.label, host }) !== undefined || origin === names.ownOrigin(host)
  if (headers.origin !== undefined) {
    return !isSibling(headers.origin)
  }
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  if ((method === 'GET' || method === 'HEAD') && judgeVisit(method, headers).isPage) return false
  const referrer = headers.referer ?? ''
  return !(URL.canParse(referrer) && isSibling(new URL(referrer).origin))
}

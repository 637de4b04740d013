import type { IncomingHttpHeaders } from 'node:http'
import type { PreviewAddress, PreviewNames } from './preview-names.models.ts'

/**
 * What a request is for the sandbox. Somebody's visit wakes it and keeps it awake; what a page that lies open does by
 * itself (polling, live reload, streams, reloading itself) does neither.
 */
export type Visit = {
  /** The answer is shown as a page. */
  isPage: boolean
  /** A person wants to see or send something. */
  isDeliberate: boolean
  /** Deliberate, and it can be repeated after a wait. */
  mayWake: boolean
}

const pageTargets = new Set(['document', 'iframe', 'frame'])

/** Browsers say what a request is for over TLS and under localhost; elsewhere the wish for a page must do. */
export function judgeVisit(method: string, headers: IncomingHttpHeaders): Visit {
  const mode = headers['sec-fetch-mode']
  const isPage =
    mode === undefined
      ? (headers.accept ?? '').includes('text/html') && headers.upgrade === undefined
      : mode === 'navigate' && pageTargets.has(String(headers['sec-fetch-dest']))
  const isAhead = /prefetch|prerender|preview/.test(`${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''}`)
  // A page that leads itself to a page of its own has nobody's click behind it.
  const isOwnDoing = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-user'] !== '?1'
  const isDeliberate = isPage && !isAhead && !isOwnDoing
  return { isPage, isDeliberate, mayWake: isDeliberate && method === 'GET' }
}

/**
 * True when another origin's page sends this request: it carries the preview's cookie, because all previews and the app
 * are one site for a browser, and must not act with it. Pages may be opened from anywhere; the ports of one thread may
 * talk to each other.
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

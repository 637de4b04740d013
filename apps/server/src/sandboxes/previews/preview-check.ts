import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { cookieValues } from '../../platform/http/cookies.models.ts'
import { makeCheckPage } from './check-page.ts'
import type { PreviewNames } from './preview-names.models.ts'

/** How long the answers of one check may find the cookie of it. */
const cookieSeconds = 60
/** A browser closes the socket at once; whoever does not is cut. */
const socketMs = 5000
const idPattern = /^[\w-]{8,64}$/
const startPath = '/.threadbox/check'
const pagePath = '/.threadbox/check/page'
const socketPath = '/.threadbox/check/socket'

/**
 * What a browser asks to find out whether it can show previews: under a name that is no thread's, by the same steps as a
 * preview takes (a cookie with a redirect, a page in a frame, a WebSocket). It holds no data and asks for no login: what it
 * tells is that threadbox is here, and only to a page of the app.
 */
export type PreviewCheckFront = {
  /** Answers a request of the check; false for every other one. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  handleUpgrade(options: { request: IncomingMessage; socket: Duplex; head: Buffer }): boolean
  close(): void
}

type CheckParts = { names: PreviewNames; cookieName: (options: { isSecure: boolean }) => string }

export function makePreviewCheckFront(parts: CheckParts): PreviewCheckFront {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false })
  const open = new Set<WebSocket>()
  return {
    answer: (request, response) => {
      const visit = visitOf(parts, request)
      if (visit === undefined) return false
      if (visit.path === startPath) begin(parts, { ...visit, response })
      else showPage(parts, { ...visit, request, response })
      return true
    },
    handleUpgrade: ({ request, socket, head }) => {
      const host = request.headers.host ?? ''
      if (!parts.names.isCheck(host) || request.url !== socketPath) return false
      sockets.handleUpgrade(request, socket, head, (peer) => {
        open.add(peer)
        const cut = setTimeout(() => peer.terminate(), socketMs)
        peer.once('close', () => {
          clearTimeout(cut)
          open.delete(peer)
        })
        peer.send('open')
      })
      return true
    },
    close: () => {
      for (const peer of open) peer.terminate()
    },
  }
}

type Visit = { host: string; path: string; id: string; appOrigin: string }

/** A request of the check that is whole; whatever else comes under its name is treated like any preview's. */
function visitOf({ names }: CheckParts, request: IncomingMessage): Visit | undefined {
  const host = request.headers.host ?? ''
  if (request.method !== 'GET' || !names.isCheck(host) || request.url?.startsWith(startPath) !== true) return undefined
  const url = new URL(`http://check${request.url}`)
  const [id, appOrigin] = [url.searchParams.get('id') ?? '', url.searchParams.get('app') ?? '']
  const isKnown = url.pathname === startPath || url.pathname === pagePath
  if (!isKnown || !idPattern.test(id) || !names.isAppOrigin(appOrigin, host)) return undefined
  return { host, path: url.pathname, id, appOrigin }
}

/** The cookie is set like the one that a preview's address sets, so it is kept or dropped like that one. */
function begin({ names, cookieName }: CheckParts, visit: Visit & { response: ServerResponse }): void {
  const isSecure = names.isSecure(visit.host)
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${cookieSeconds}${isSecure ? '; Secure' : ''}`
  visit.response.writeHead(303, {
    ...plainHeaders,
    location: `${names.ownOrigin(visit.host)}${pagePath}?${new URLSearchParams({ id: visit.id, app: visit.appOrigin })}`,
    'set-cookie': `${cookieName({ isSecure })}=${visit.id}; ${attributes}`,
  })
  visit.response.end()
}

function showPage(
  { names, cookieName }: CheckParts,
  visit: Visit & { request: IncomingMessage; response: ServerResponse },
): void {
  const { host, id, appOrigin } = visit
  const name = cookieName({ isSecure: names.isSecure(host) })
  const hasCookie = cookieValues(visit.request.headers.cookie, name).includes(id)
  const socketUrl = `${names.ownOrigin(host).replace(/^http/, 'ws')}${socketPath}`
  const { html, policy } = makeCheckPage({ id, appOrigin, hasCookie, socketUrl })
  visit.response.writeHead(200, {
    ...plainHeaders,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
  })
  visit.response.end(html)
}

const plainHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'threadbox-preview': 'check',
}

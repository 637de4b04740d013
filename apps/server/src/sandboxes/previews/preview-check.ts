import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { cookieValues } from '../../platform/http/cookies.logic.ts'
import { makeCheckPage } from './check-page.ts'
import type { PreviewNames } from './preview-names.logic.ts'

/** How long the cookie of a check is valid. */
const cookieSeconds = 60
/** A browser closes the socket immediately; another client is disconnected after this time. */
const socketMs = 5000
const idPattern = /^[\w-]{8,64}$/
const startPath = '/.threadbox/check'
const pagePath = '/.threadbox/check/page'
const socketPath = '/.threadbox/check/socket'

/**
 * What a browser requests to find out whether it can show previews: under a name that no thread has, with the steps of
 * a preview (a cookie with a redirect, a page in a frame, a WebSocket). It has no data and needs no sign-in: it reveals
 * that threadbox is installed here, and only to a page of the app.
 */
export type PreviewCheckServer = {
  /** Responds to a request of the check; returns false for other requests. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  handleUpgrade(options: { request: IncomingMessage; socket: Duplex; head: Buffer }): boolean
  close(): void
}

type CheckDependencies = { names: PreviewNames; cookieName: (options: { isSecure: boolean }) => string }

export function makePreviewCheckServer(dependencies: CheckDependencies): PreviewCheckServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false })
  const open = new Set<WebSocket>()
  return {
    answer: (request, response) => {
      const visit = visitOf(dependencies, request)
      if (visit === undefined) return false
      if (visit.path === startPath) begin(dependencies, { ...visit, response })
      else showPage(dependencies, { ...visit, request, response })
      return true
    },
    handleUpgrade: ({ request, socket, head }) => {
      const host = request.headers.host ?? ''
      if (!dependencies.names.isCheck(host) || request.url !== socketPath) return false
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

/** A complete request of the check. Any other request under its name is treated like a preview’s. */
function visitOf({ names }: CheckDependencies, request: IncomingMessage): Visit | undefined {
  const host = request.headers.host ?? ''
  if (request.method !== 'GET' || !names.isCheck(host) || request.url?.startsWith(startPath) !== true) return undefined
  const url = new URL(`http://check${request.url}`)
  const [id, appOrigin] = [url.searchParams.get('id') ?? '', url.searchParams.get('app') ?? '']
  const isKnown = url.pathname === startPath || url.pathname === pagePath
  if (!isKnown || !idPattern.test(id) || !names.isAppOrigin(appOrigin, host)) return undefined
  return { host, path: url.pathname, id, appOrigin }
}

/** Sets the cookie like a preview’s URL does, so browsers keep or drop both alike. */
function begin({ names, cookieName }: CheckDependencies, visit: Visit & { response: ServerResponse }): void {
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
  { names, cookieName }: CheckDependencies,
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

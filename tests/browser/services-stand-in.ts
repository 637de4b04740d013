import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  openPreviewRequestSchema,
  type Preview,
  type PreviewCheck,
  previewCheckSchema,
  previewSchema,
  type Service,
  type ServicesView,
  serviceSchema,
  servicesViewSchema,
} from '@threadbox/protocol/public'
import type { MoreRoutes, Result } from './sandbox-stand-in.ts'

/**
 * Services of threads and their pages on their own origins, in any state a test needs: stands in for the server and its
 * preview server. An address is valid for one visit and sets a cookie, without which no page is shown.
 */
export type ServicesStandIn = AsyncDisposable & {
  port: number
  routes: MoreRoutes
  /** Sets the response of `GET /threads/{id}/services`. */
  set(threadId: string, view: { services: Service[]; openPorts?: ServicesView['openPorts'] }): ServicesView
  setLog(text: string): void
  /** Every later preview is unavailable for this reason; null ends that. */
  setUnavailable(reason: Preview['unavailable']): void
  /** Gives previews, and their check, addresses that no browser can reach. */
  loseNames(areLost: boolean): void
  /** Delays responses of pages until the returned function is called. */
  holdPages(): () => void
  /** Pages that were shown, as `8501 /path`. */
  shown: string[]
  clear(): void
}

/** A service as the API shows it. */
export function serviceIn(status: Service['status'], values: Partial<Service> = {}): Service {
  return serviceSchema.parse({
    name: 'dashboard',
    command: 'python app.py',
    port: 8501,
    cwd: '/home/user',
    environment: {},
    since: Date.now(),
    problem: null,
    status,
    ...values,
  })
}

export async function startServicesStandIn(): Promise<ServicesStandIn> {
  const state = startState()
  const server = createServer((request, response) => void answerPage(state, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    shown: state.shown,
    routes: ({ path, body }) => answerApi(state, { path, body, port }),
    set: (threadId, { services, openPorts = [] }) => {
      const view = servicesViewSchema.parse({ services, openPorts })
      state.views.set(threadId, view)
      return view
    },
    setLog: (text) => {
      state.log = text
    },
    setUnavailable: (reason) => {
      state.unavailable = reason
    },
    loseNames: (areLost) => {
      state.areNamesLost = areLost
    },
    holdPages: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.held = promise
      return resolve
    },
    clear: () => {
      const { shown } = state
      shown.length = 0
      Object.assign(state, startState(), { shown })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function startState() {
  return {
    views: new Map<string, ServicesView>(),
    tokens: new Map<string, { host: string; path: string }>(),
    log: 'Listening on 8501\n',
    unavailable: null as Preview['unavailable'],
    areNamesLost: false,
    held: Promise.resolve() as Promise<void>,
    shown: [] as string[],
    tokenCount: 0,
  }
}

type State = ReturnType<typeof startState>

function answerApi(state: State, order: { path: string; body: unknown; port: number }): Result | undefined {
  if (order.path === 'GET /previews/check') return { status: 200, body: previewCheck(state, order.port) }
  const match = /^(\w+) \/threads\/([^/]+)\/(services|previews)(\/.*)?$/.exec(order.path)
  if (match === null) return undefined
  const [, method = '', threadId = '', kind = '', rest = ''] = match
  if (kind === 'previews') return { status: 200, body: openPreview(state, { ...order, threadId }) }
  if (rest.endsWith('/logs')) {
    const sizeBytes = Buffer.byteLength(state.log)
    return { status: 200, body: { text: state.log, offset: 0, sizeBytes, droppedBytes: 0 } }
  }
  const view = state.views.get(threadId) ?? { services: [], openPorts: [] }
  return { status: 200, body: method === 'GET' ? view : (view.services[0] ?? {}) }
}

function openPreview(state: State, order: { body: unknown; port: number; threadId: string }): Preview {
  const { port, path = '/' } = openPreviewRequestSchema.parse(order.body)
  const expiresAt = Date.now() + 60_000
  const appOrigin = 'http://app.stand-in.localhost'
  if (state.unavailable !== null) {
    return previewSchema.parse({ url: null, origin: null, appOrigin, expiresAt, unavailable: state.unavailable })
  }
  const host = `${port}-${order.threadId}.stand-in.localhost:${portOf(state, order.port)}`
  state.tokenCount += 1
  const token = `k${state.tokenCount}`
  state.tokens.set(token, { host, path })
  const url = `http://${host}/__open?token=${token}`
  return previewSchema.parse({ url, origin: `http://${host}`, appOrigin, expiresAt, unavailable: null })
}

/** Nothing listens on the returned port while names are lost. */
function portOf(state: State, port: number): number {
  return state.areNamesLost ? 9 : port
}

function previewCheck(state: State, port: number): PreviewCheck {
  const origin = `http://1-doctor.stand-in.localhost:${portOf(state, port)}`
  const problem = (code: string) => ({ code, message: `What is wrong: ${code}.`, remedy: 'The cure.', details: {} })
  return previewCheckSchema.parse({
    url: `${origin}/__check?id=check-of-the-test`,
    origin,
    unavailable: null,
    problems: { unreachable: problem('unreachable'), cookies: problem('cookies'), sockets: problem('sockets') },
  })
}

const checkPage = `<script>parent.postMessage(
  { threadbox: 'preview-check', id: 'check-of-the-test', hasCookie: true, socket: 'open' }, '*')</script>`

async function answerPage(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://stand-in')
  if (pathname === '/__open') {
    const token = searchParams.get('token') ?? ''
    const found = state.tokens.get(token)
    state.tokens.delete(token)
    if (found === undefined || found.host !== request.headers.host) return void response.writeHead(403).end('used')
    const cookie = 'preview=ok; HttpOnly; SameSite=Lax; Path=/'
    response.writeHead(303, { location: found.path, 'set-cookie': cookie }).end()
    return
  }
  if (pathname === '/__check') {
    return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(checkPage)
  }
  await state.held
  if (!(request.headers.cookie ?? '').includes('preview=ok')) return void response.writeHead(401).end('no cookie')
  if (pathname === '/favicon.ico') return void response.writeHead(404).end()
  state.shown.push(`${request.headers.host?.split('-')[0]} ${pathname}${search}`)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageAt(pathname, state))
}

/** A page that shows its address and how often a page was shown; `/hostile` tries what a page must not do. */
function pageAt(pathname: string, state: State): string {
  const hostile = `
    const attempt = (name, work) => { let said = 'refused'; try { if (work() !== false) said = 'done' } catch {} ; document.body.append(name + ' ' + said + '; ') }
    attempt('top', () => { top.location.href = 'http://evil.stand-in.localhost/' })
    attempt('document', () => parent.document.title)
    attempt('storage', () => parent.localStorage.length)
    attempt('dialog', () => confirm('really?'))`
  const script = pathname === '/hostile' ? hostile : ''
  return `<!doctype html><title>page</title><style>body{font:16px sans-serif;padding:24px;background:#eef}</style>
    <h1>${pathname}</h1><p>view ${state.shown.length}</p>
    <form action="/sent"><input name="word" aria-label="Word"><button>Submit</button></form>
    <a href="/popup" target="_blank">Popup</a>
    <p id="width"></p><script>const say = () => { width.textContent = innerWidth + " px" }; addEventListener("resize", say); say(); ${script}</script>`
}

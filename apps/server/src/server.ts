import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Logger } from '@threadbox/telemetry'
import { Hono } from 'hono'
import { type AuthenticationOptions, authenticate } from './people/users/authentication.middleware.ts'
import { serveAs } from './platform/http/acting-request.ts'
import { type Api, type ApiEnv, makeApi } from './platform/http/api.ts'
import { guardHost, guardOrigin, secureHeaders } from './platform/http/browser-guard.middleware.ts'
import { type ClientAddress, noAddress } from './platform/http/client-address.ts'
import { docsSite } from './platform/http/docs-site.ts'
import { answerError } from './platform/http/errors.handler.ts'
import { routeNotFound } from './platform/http/http.errors.ts'
import { openApiDocument } from './platform/http/openapi-document.ts'
import type { AllowedHosts } from './platform/http/origins.ts'
import { guardText } from './platform/http/text-guard.middleware.ts'
import { webApp } from './platform/http/web-app.ts'

export type ServerOptions = {
  hosts: AllowedHosts
  version: string
  webDirectory: string
  logger: Logger
  stopping: AbortSignal
  authentication: AuthenticationOptions
  clientAddress: ClientAddress
  /** Pages for probes, under any name. */
  healthPages: Hono<ApiEnv>
  /** Called after each response. `route`: the part of the app, such as `threads`. */
  onAnswered(request: Answered): void
  /** Routes that need no sign-in. */
  publicRoutes: readonly Api[]
  /** All other routes. */
  routes: readonly Api[]
  /** Pages of share links, at `/shared`: they need no sign-in. */
  sharedPages: Hono<ApiEnv>
  /** Sign-ins at providers, at `/sign-in`: where browsers come back. */
  signInPages: Hono<ApiEnv>
  /** Webhooks, at `/hooks`: they check the signature of a request instead of a sign-in. */
  hookPages: Hono<ApiEnv>
}

/** A response; `code` is that of its error. */
export type Answered = { route: string; status: number; seconds: number; code: string | undefined }

/**
 * The HTTP side of the server. The guards run in the order of trust: is this the app's name, does the app's own page
 * send it, is it text, who sends it; only then does a route get the request.
 */
export function makeServer(options: ServerOptions): { app: Hono<ApiEnv>; api: Api } {
  const app = new Hono<ApiEnv>()
  app.onError(answerError)
  app.notFound(() => {
    throw routeNotFound({})
  })
  app.use('*', async (context, next) => {
    const requestId = randomUUID()
    context.set('requestId', requestId)
    const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage }
    context.set('clientAddress', incoming === undefined ? noAddress : options.clientAddress(incoming))
    context.set('logger', options.logger)
    context.set('stopping', options.stopping)
    const startedAt = performance.now()
    await serveAs({ requestId, address: context.get('clientAddress') }, next)
    context.res.headers.set('threadbox-request-id', requestId)
    const seconds = (performance.now() - startedAt) / 1000
    const code = context.get('errorCode')
    options.onAnswered({ route: partOf(context.req.path), status: context.res.status, seconds, code })
  })
  app.route('/', options.healthPages)
  app.use('*', secureHeaders(options.hosts), guardHost(options.hosts), guardOrigin(options.hosts))
  const api = makePublicApi(options)
  app.route('/api/v1', api)
  app.all('/api/*', () => {
    throw routeNotFound({})
  })
  app.route('/shared', options.sharedPages)
  app.route('/sign-in', options.signInPages)
  app.route('/hooks', options.hookPages)
  if (options.webDirectory !== '') {
    const docs = docsSite(join(options.webDirectory, 'docs'))
    if (docs !== undefined) app.route('/docs', docs)
    app.route('/', webApp(options.webDirectory))
  }
  return { app, api }
}

const parts = ['threads', 'workspaces', 'agents', 'runs', 'models', 'people', 'auth', 'events', 'search', 'settings']

/** One of few words, so that a request with any path adds no series to the metrics. */
function partOf(path: string): string {
  const [first = '', version, part = ''] = path.split('/').slice(1)
  if (first !== 'api') return first === 'shared' || first === 'hooks' || first === 'docs' ? first : 'app'
  return version === 'v1' && parts.includes(part) ? part : 'other'
}

function makePublicApi(options: ServerOptions): Api {
  const api = makeApi()
  api.onError(answerError)
  api.use('*', guardText)
  api.use('*', async (context, next) => {
    await next()
    if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store')
  })
  for (const routes of options.publicRoutes) api.route('/', routes)
  api.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' })
  api.openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'threadbox',
    description: 'Set when signing in. Its name contains the installation ID.',
  })
  api.get('/openapi.json', (context) => context.json(openApiDocument(api, options.version)))
  api.use('*', authenticate(options.authentication))
  for (const routes of options.routes) api.route('/', routes)
  api.all('*', () => {
    throw routeNotFound({})
  })
  return api
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { ClientAddress } from '../../platform/http/client-address.ts'
import { cookieValues } from '../../platform/http/cookies.logic.ts'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import type { BridgeFiles } from './bridge/bridge-files.ts'
import { askedUnpacked, wantsBridge, withBridge } from './bridge/bridge-injection.ts'
import { answerRefusal, answerUpgradeRefusal } from './preview-answers.ts'
import type { PreviewCheckServer } from './preview-check.ts'
import type { PreviewAddress, PreviewNames } from './preview-names.logic.ts'
import type { PreviewProxy } from './preview-proxy.ts'
import {
  previewAsleep,
  previewForeign,
  previewMalformed,
  previewNothingHere,
  previewPrivate,
  previewSuspended,
  previewWaking,
} from './previews.errors.ts'
import type { ValidPass } from './previews.store.ts'
import type { Entered, Previews } from './previews.usecases.ts'
import { headersForService } from './request-headers.logic.ts'
import { headersForBrowser } from './response-headers.logic.ts'
import type { ShareLinksOfThreads } from './share-links.usecases.ts'
import { isForeign, judgeVisit, type Visit } from './visits.logic.ts'
import type { Waking } from './waking.ts'

/** How long a visit is held while its sandbox wakes. After that it gets a page that waits. */
const holdMs = 8000
/** Seconds after which a page’s background request can be repeated. */
const suspendedRetrySeconds = 30
/** The host’s error codes when a boot that was awake a moment ago is no longer running. */
const asleepCodes = new Set(['sandbox.paused', 'sandbox.not-running', 'sandbox.other-boot'])
const portClosedCode = 'sandbox.port-closed'
const ownPath = '/.threadbox/'

/** How visitors are recognized. */
type Visitors = {
  clientAddress: ClientAddress
  /** The name of the preview’s cookie under this scheme. */
  cookieName: (options: { isSecure: boolean }) => string
}

export type PreviewServerDependencies = {
  names: PreviewNames
  previews: Previews
  shareLinks: Pick<ShareLinksOfThreads, 'enter'>
  pages: OpenVisits
  proxy: PreviewProxy
  waking: Waking
  check: PreviewCheckServer
  /** The scripts that are put into pages; undefined leaves pages unchanged. */
  bridge: BridgeFiles | undefined
  visitors: Visitors
  sandboxOf: (threadId: string) => Promise<{ id: string; state: string; boot_id: string | null } | undefined>
  /** Marks a transfer that a person waits for as in progress until the result is disposed of. */
  transferring: (sandboxId: string) => Disposable
  logger: Logger
}

/**
 * Serves services’ pages: every request under a preview’s name, and nothing else. A visitor without access gets the
 * same response whether the page exists or not.
 */
export type PreviewServer = {
  /** Responds to a request under the name of a preview; returns false for other requests. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  takesUpgrade(request: IncomingMessage): boolean
  handleUpgrade(options: { request: IncomingMessage; socket: Duplex; head: Buffer }): void
  close(): void
}

export function makePreviewServer(dependencies: PreviewServerDependencies): PreviewServer {
  const { names, logger } = dependencies
  const hostOf = (request: IncomingMessage) => request.headers.host ?? ''
  const refusalOf = (request: IncomingMessage, error: unknown) => ({
    request,
    error: isCut(error) ? previewPrivate({}) : error,
    isPage: judgeVisit(request.method ?? 'GET', request.headers).isPage,
    appOrigin: names.appOrigin(hostOf(request)),
  })
  return {
    handle: (request, response) => {
      if (!names.isPreview(hostOf(request))) return false
      if (dependencies.check.answer(request, response)) return true
      answer(dependencies, { request, response }).catch((error: unknown) => {
        logger.debug({ err: error, host: hostOf(request) }, 'a request of a preview was refused')
        if (response.headersSent || response.destroyed) response.destroy()
        else answerRefusal(response, refusalOf(request, error))
      })
      return true
    },
    takesUpgrade: (request) =>
      names.isPreview(hostOf(request)) && request.headers.upgrade?.toLowerCase() === 'websocket',
    handleUpgrade: ({ request, socket, head }) => {
      // An error of the socket also ends what is piped through it. Without a listener it would end the process.
      socket.on('error', () => socket.destroy())
      if (dependencies.check.handleUpgrade({ request, socket, head })) return
      answerUpgrade(dependencies, { request, socket, head }).catch((error: unknown) => {
        logger.debug({ err: error, host: hostOf(request) }, 'a socket of a preview was refused')
        // After the upgrade, a response would be taken for a message.
        if (socket.writableLength > 0 || isCut(error)) socket.destroy()
        else answerUpgradeRefusal(socket, refusalOf(request, error))
      })
    },
    close: () => {
      dependencies.check.close()
      dependencies.pages.close()
      dependencies.proxy.close()
    },
  }
}

type Exchange = { request: IncomingMessage; response: ServerResponse }
type Visitor = { host: string; address: PreviewAddress; cookies: string[] }

async function answer(dependencies: PreviewServerDependencies, { request, response }: Exchange): Promise<void> {
  const visitor = visitorOf(dependencies, request)
  if (dependencies.bridge?.answer(request, response) === true) return
  if (request.url?.startsWith(ownPath)) return await enter(dependencies, visitor, { request, response })
  const pass = await admitted(dependencies, request, visitor)
  using page = dependencies.pages.follow(pass.sha256)
  await serve(dependencies, { request, pass, visitor }, async (sandbox, visit) => {
    await dependencies.proxy.pass({
      ...proxiedRequestOf(dependencies, { request, pass, visitor, visit }),
      sandbox,
      response,
      signal: page.signal,
    })
  })
}

async function answerUpgrade(
  dependencies: PreviewServerDependencies,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
): Promise<void> {
  const visitor = visitorOf(dependencies, request)
  const pass = await admitted(dependencies, request, visitor)
  using page = dependencies.pages.follow(pass.sha256)
  await serve(dependencies, { request, pass, visitor }, async (sandbox, visit) => {
    const proxied = proxiedRequestOf(dependencies, { request, pass, visitor, visit })
    await dependencies.proxy.passUpgrade({ ...proxied, sandbox, socket, head, signal: page.signal })
  })
}

/** Throws for a request that is ambiguous or not under a preview’s name. */
function visitorOf(dependencies: PreviewServerDependencies, request: IncomingMessage): Visitor {
  const host = request.headers.host ?? ''
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  const frame = request.headers['transfer-encoding']
  const isFramedTwice = frame !== undefined && 'content-length' in request.headers
  const isKnownFrame = frame === undefined || frame.trim().toLowerCase() === 'chunked'
  if (hosts.length !== 1 || !request.url?.startsWith('/') || isFramedTwice || !isKnownFrame) throw previewMalformed({})
  const address = dependencies.names.addressOf(host)
  if (address === undefined) throw previewPrivate({})
  const name = dependencies.visitors.cookieName({ isSecure: dependencies.names.isSecure(host) })
  return { host, address, cookies: cookieValues(request.headers.cookie, name) }
}

async function admitted(
  dependencies: PreviewServerDependencies,
  request: IncomingMessage,
  visitor: Visitor,
): Promise<ValidPass> {
  const { host, address, cookies } = visitor
  const pass = await dependencies.previews.admit(cookies, address)
  if (pass === undefined) throw previewPrivate({})
  const { method = 'GET', headers } = request
  if (isForeign({ method, headers, address, host, names: dependencies.names })) throw previewForeign({})
  return pass
}

async function enter(
  dependencies: PreviewServerDependencies,
  visitor: Visitor,
  { request, response }: Exchange,
): Promise<void> {
  const { host, address, cookies } = visitor
  const origin = dependencies.names.ownOrigin(host)
  const url = new URL(origin + (request.url ?? '/'))
  const entered = request.method === 'GET' ? await enteredBy(dependencies, url, { address, cookies }) : undefined
  if (entered === undefined) throw previewPrivate({})
  const isSecure = dependencies.names.isSecure(host)
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  response.writeHead(303, {
    location: new URL(origin + entered.path).href,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(entered.cookie === undefined
      ? {}
      : { 'set-cookie': `${dependencies.visitors.cookieName({ isSecure })}=${entered.cookie}; ${attributes}` }),
  })
  response.end()
}

async function enteredBy(
  { previews, shareLinks }: PreviewServerDependencies,
  { pathname, searchParams }: URL,
  visitor: Pick<Visitor, 'address' | 'cookies'>,
): Promise<Entered | undefined> {
  const [ticket, secret] = [searchParams.get('token'), searchParams.get('key')]
  if (pathname === `${ownPath}enter` && ticket !== null) return await previews.enter(ticket, visitor)
  if (pathname === `${ownPath}shared` && secret !== null) return await shareLinks.enter(secret, visitor)
  return undefined
}

type Request = { request: IncomingMessage; pass: ValidPass; visitor: Visitor }

/** Finds the sandbox awake, or wakes it for a deliberate visit, and passes the request on to it. */
async function serve(
  dependencies: PreviewServerDependencies,
  asked: Request,
  passOn: (sandbox: { id: string; bootId: string }, visit: Visit) => Promise<void>,
): Promise<void> {
  const judged = judgeVisit(asked.request.method ?? 'GET', asked.request.headers)
  // A link that cannot wake the sandbox does not keep it awake either.
  const visit = asked.pass.may_wake ? judged : { ...judged, isDeliberate: false, mayWake: false }
  for (let attempt = 0; ; attempt += 1) {
    const sandbox = await awakeSandbox(dependencies, asked, { visit, isAsleep: attempt > 0 })
    using _transfer = visit.isDeliberate ? dependencies.transferring(sandbox.id) : undefined
    try {
      return await passOn(sandbox, visit)
    } catch (error) {
      if (!isThreadboxError(error)) throw error
      if (error.code === portClosedCode) throw previewNothingHere({ port: asked.pass.port }, { cause: error })
      // It was paused after its state was read.
      if (!asleepCodes.has(error.code) || attempt > 0) throw error
    }
  }
}

async function awakeSandbox(
  dependencies: PreviewServerDependencies,
  { pass }: Request,
  { visit, isAsleep }: { visit: Visit; isAsleep: boolean },
): Promise<{ id: string; bootId: string }> {
  const { waking } = dependencies
  const threadId = pass.thread_id
  const row = await dependencies.sandboxOf(threadId)
  if (row === undefined || row.state === 'fresh' || row.state === 'deleting') {
    throw previewNothingHere({ port: pass.port })
  }
  if (row.state === 'active' && row.boot_id !== null && !isAsleep) return { id: row.id, bootId: row.boot_id }
  if (!visit.mayWake) {
    const isWaking = waking.isUnderWay(threadId) || row.state === 'waking' || row.state === 'starting'
    if (isWaking) throw previewWaking({ retryAfterSeconds: 1 })
    if (!pass.may_wake) throw previewAsleep({})
    throw waking.failure(threadId) ?? previewSuspended({ retryAfterSeconds: suspendedRetrySeconds })
  }
  const wake = waking.wake(threadId)
  await waitAtMost(holdMs, { work: wake })
  if (waking.isUnderWay(threadId)) throw previewWaking({ retryAfterSeconds: 1 })
  await wake
  const awake = await dependencies.sandboxOf(threadId)
  if (awake?.boot_id == null) throw previewSuspended({ retryAfterSeconds: suspendedRetrySeconds })
  return { id: awake.id, bootId: awake.boot_id }
}

function proxiedRequestOf(dependencies: PreviewServerDependencies, asked: Request & { visit: Visit }) {
  const { request, pass, visitor, visit } = asked
  const { host, address } = visitor
  const { port } = address
  const isUpgrade = request.headers.upgrade?.toLowerCase() === 'websocket'
  const clientAddress = dependencies.visitors.clientAddress(request)
  const rewriting = {
    origin: dependencies.names.ownOrigin(host),
    port,
    appOrigin: pass.app_origin,
    isFramed: request.headers['sec-fetch-dest'] === 'iframe',
  }
  const headers = headersForService({
    rawHeaders: request.rawHeaders,
    host,
    port,
    clientAddress,
    isUpgrade,
    names: dependencies.names,
  })
  const { origin, appOrigin } = rewriting
  const files = wantsBridge(request.method ?? 'GET', request.headers, visit.isPage) ? dependencies.bridge : undefined
  return {
    request,
    port,
    isBackground: !visit.isDeliberate,
    headers: files === undefined ? headers : askedUnpacked(headers),
    changeResponse: files && ((incoming: IncomingMessage) => withBridge(incoming, { files, origin, appOrigin })),
    headersForBrowser: (rawHeaders: readonly string[]) => headersForBrowser({ ...rewriting, rawHeaders }),
  }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

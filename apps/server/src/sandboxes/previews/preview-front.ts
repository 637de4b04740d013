import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import { cookieValues } from '../../platform/http/cookies.models.ts'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import type { BridgeFiles } from './bridge/bridge-files.ts'
import { askedUnpacked, wantsBridge, withBridge } from './bridge/bridge-injection.ts'
import { answerRefusal, answerUpgradeRefusal } from './preview-answers.ts'
import type { PreviewCheckFront } from './preview-check.ts'
import type { PreviewAddress, PreviewNames } from './preview-names.models.ts'
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
import { headersForService } from './request-headers.models.ts'
import { headersForBrowser } from './response-headers.models.ts'
import type { ShareLinksOfThreads } from './share-links.usecases.ts'
import { isForeign, judgeVisit, type Visit } from './visits.models.ts'
import type { Waking } from './waking.ts'

/** How long a visit is held while its sandbox wakes; after that it gets a page that waits. */
const holdMs = 8000
/** When a page that asks by itself may ask again. */
const suspendedRetrySeconds = 30
/** What the host says when a boot that was awake a moment ago is not any more. */
const asleepCodes = new Set(['sandbox.paused', 'sandbox.not-running', 'sandbox.other-boot'])
const portClosedCode = 'sandbox.port-closed'
const ownPath = '/.threadbox/'

export type PreviewFrontParts = {
  names: PreviewNames
  previews: Previews
  shareLinks: Pick<ShareLinksOfThreads, 'enter'>
  pages: OpenVisits
  proxy: PreviewProxy
  waking: Waking
  check: PreviewCheckFront
  /** What is put into pages; undefined leaves them as they are. */
  bridge: BridgeFiles | undefined
  /** The name that the preview's cookie has under this scheme. */
  cookieName: (options: { isSecure: boolean }) => string
  sandboxOf: (threadId: string) => Promise<{ id: string; state: string; boot_id: string | null } | undefined>
  /** Something that a person waits for flows until the result is disposed of. */
  transferring: (sandboxId: string) => Disposable
  logger: Logger
}

/**
 * The door to the pages of services: everything that comes under a name of a preview, and nothing else. Who may not see
 * a page gets the same answer whether there is such a page or not.
 */
export type PreviewFront = {
  /** Answers a request that came under the name of a preview; false for every other one. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  takesUpgrade(request: IncomingMessage): boolean
  handleUpgrade(options: { request: IncomingMessage; socket: Duplex; head: Buffer }): void
  close(): void
}

export function makePreviewFront(parts: PreviewFrontParts): PreviewFront {
  const { names, logger } = parts
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
      if (parts.check.answer(request, response)) return true
      answer(parts, { request, response }).catch((error: unknown) => {
        logger.debug({ err: error, host: hostOf(request) }, 'a request of a preview was refused')
        if (response.headersSent || response.destroyed) response.destroy()
        else answerRefusal(response, refusalOf(request, error))
      })
      return true
    },
    takesUpgrade: (request) =>
      names.isPreview(hostOf(request)) && request.headers.upgrade?.toLowerCase() === 'websocket',
    handleUpgrade: ({ request, socket, head }) => {
      // An error of the socket also ends what is piped through it; without a listener it would end the process.
      socket.on('error', () => socket.destroy())
      if (parts.check.handleUpgrade({ request, socket, head })) return
      answerUpgrade(parts, { request, socket, head }).catch((error: unknown) => {
        logger.debug({ err: error, host: hostOf(request) }, 'a socket of a preview was refused')
        // Once it was agreed to, an answer would be taken for a message.
        if (socket.writableLength > 0 || isCut(error)) socket.destroy()
        else answerUpgradeRefusal(socket, refusalOf(request, error))
      })
    },
    close: () => {
      parts.check.close()
      parts.pages.close()
      parts.proxy.close()
    },
  }
}

type Exchange = { request: IncomingMessage; response: ServerResponse }
type Visitor = { host: string; address: PreviewAddress; cookies: string[] }

async function answer(parts: PreviewFrontParts, { request, response }: Exchange): Promise<void> {
  const visitor = visitorOf(parts, request)
  if (parts.bridge?.answer(request, response) === true) return
  if (request.url?.startsWith(ownPath)) return await enter(parts, visitor, { request, response })
  const pass = await admitted(parts, request, visitor)
  using page = parts.pages.follow(pass.sha256)
  await serve(parts, { request, pass, visitor }, async (sandbox, visit) => {
    await parts.proxy.pass({
      ...passageOf(parts, { request, pass, visitor, visit }),
      sandbox,
      response,
      signal: page.signal,
    })
  })
}

async function answerUpgrade(
  parts: PreviewFrontParts,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
): Promise<void> {
  const visitor = visitorOf(parts, request)
  const pass = await admitted(parts, request, visitor)
  using page = parts.pages.follow(pass.sha256)
  await serve(parts, { request, pass, visitor }, async (sandbox, visit) => {
    const passage = passageOf(parts, { request, pass, visitor, visit })
    await parts.proxy.passUpgrade({ ...passage, sandbox, socket, head, signal: page.signal })
  })
}

/** Who asks, as far as the request says it in one way only. */
function visitorOf(parts: PreviewFrontParts, request: IncomingMessage): Visitor {
  const host = request.headers.host ?? ''
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  const frame = request.headers['transfer-encoding']
  const isFramedTwice = frame !== undefined && 'content-length' in request.headers
  const isKnownFrame = frame === undefined || frame.trim().toLowerCase() === 'chunked'
  if (hosts.length !== 1 || !request.url?.startsWith('/') || isFramedTwice || !isKnownFrame) throw previewMalformed({})
  const address = parts.names.addressOf(host)
  if (address === undefined) throw previewPrivate({})
  const name = parts.cookieName({ isSecure: parts.names.isSecure(host) })
  return { host, address, cookies: cookieValues(request.headers.cookie, name) }
}

async function admitted(parts: PreviewFrontParts, request: IncomingMessage, visitor: Visitor): Promise<ValidPass> {
  const { host, address, cookies } = visitor
  const pass = await parts.previews.admit(cookies, address)
  if (pass === undefined) throw previewPrivate({})
  const { method = 'GET', headers } = request
  if (isForeign({ method, headers, address, host, names: parts.names })) throw previewForeign({})
  return pass
}

async function enter(parts: PreviewFrontParts, visitor: Visitor, { request, response }: Exchange): Promise<void> {
  const { host, address, cookies } = visitor
  const origin = parts.names.ownOrigin(host)
  const url = new URL(origin + (request.url ?? '/'))
  const entered = request.method === 'GET' ? await enteredBy(parts, url, { address, cookies }) : undefined
  if (entered === undefined) throw previewPrivate({})
  const isSecure = parts.names.isSecure(host)
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  response.writeHead(303, {
    location: new URL(origin + entered.path).href,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(entered.cookie === undefined
      ? {}
      : { 'set-cookie': `${parts.cookieName({ isSecure })}=${entered.cookie}; ${attributes}` }),
  })
  response.end()
}

async function enteredBy(
  { previews, shareLinks }: PreviewFrontParts,
  { pathname, searchParams }: URL,
  visitor: Pick<Visitor, 'address' | 'cookies'>,
): Promise<Entered | undefined> {
  const [ticket, secret] = [searchParams.get('token'), searchParams.get('key')]
  if (pathname === `${ownPath}enter` && ticket !== null) return await previews.enter(ticket, visitor)
  if (pathname === `${ownPath}shared` && secret !== null) return await shareLinks.enter(secret, visitor)
  return undefined
}

type Request = { request: IncomingMessage; pass: ValidPass; visitor: Visitor }

/** Finds the sandbox awake, or wakes it for somebody who wants to see it, and passes the request on to it. */
async function serve(
  parts: PreviewFrontParts,
  asked: Request,
  passOn: (sandbox: { id: string; bootId: string }, visit: Visit) => Promise<void>,
): Promise<void> {
  const judged = judgeVisit(asked.request.method ?? 'GET', asked.request.headers)
  // Whoever has a link that does not wake does not keep awake either.
  const visit = asked.pass.may_wake ? judged : { ...judged, isDeliberate: false, mayWake: false }
  for (let attempt = 0; ; attempt += 1) {
    const sandbox = await awakeSandbox(parts, asked, { visit, isAsleep: attempt > 0 })
    using _transfer = visit.isDeliberate ? parts.transferring(sandbox.id) : undefined
    try {
      return await passOn(sandbox, visit)
    } catch (error) {
      if (!isThreadboxError(error)) throw error
      if (error.code === portClosedCode) throw previewNothingHere({ port: asked.pass.port }, { cause: error })
      // It was paused between the look and the request.
      if (!asleepCodes.has(error.code) || attempt > 0) throw error
    }
  }
}

async function awakeSandbox(
  parts: PreviewFrontParts,
  { pass }: Request,
  { visit, isAsleep }: { visit: Visit; isAsleep: boolean },
): Promise<{ id: string; bootId: string }> {
  const { waking } = parts
  const threadId = pass.thread_id
  const row = await parts.sandboxOf(threadId)
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
  const awake = await parts.sandboxOf(threadId)
  if (awake?.boot_id == null) throw previewSuspended({ retryAfterSeconds: suspendedRetrySeconds })
  return { id: awake.id, bootId: awake.boot_id }
}

function passageOf(parts: PreviewFrontParts, asked: Request & { visit: Visit }) {
  const { request, pass, visitor, visit } = asked
  const { host, address } = visitor
  const { port } = address
  const isUpgrade = request.headers.upgrade?.toLowerCase() === 'websocket'
  const clientAddress = request.socket.remoteAddress ?? ''
  const rewriting = {
    origin: parts.names.ownOrigin(host),
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
    names: parts.names,
  })
  const { origin, appOrigin } = rewriting
  const files = wantsBridge(request.method ?? 'GET', request.headers, visit.isPage) ? parts.bridge : undefined
  return {
    request,
    port,
    isBackground: !visit.isDeliberate,
    headers: files === undefined ? headers : askedUnpacked(headers),
    changeAnswer: files && ((incoming: IncomingMessage) => withBridge(incoming, { files, origin, appOrigin })),
    headersForBrowser: (rawHeaders: readonly string[]) => headersForBrowser({ ...rewriting, rawHeaders }),
  }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

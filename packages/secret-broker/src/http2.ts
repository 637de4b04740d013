import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { refusalFor } from './refusal.logic.ts'
import { type OutgoingBody, prepareBody } from './request-body.ts'
import { type RequestHead, readHttp2Head } from './request-head.logic.ts'
import { discard, pass, stepsFor } from './response-body.ts'
import { headForSandbox, trailersForSandbox } from './response-head.logic.ts'
import { beginExchange, type OpenExchange, reportRefusal, type Session } from './session.ts'
import { hostOf } from './target.logic.ts'
import { unreachable } from './upstream.ts'

/** Streams of one connection at a time, as most servers allow. */
const maxStreams = 128
/** How much of a body may be on its way: of one stream, and of a connection. */
const streamWindowBytes = 512 * 1024
const connectionWindowBytes = 2 * 1024 * 1024
const maxHeaderListBytes = 64 * 1024
const settings = {
  maxConcurrentStreams: maxStreams,
  initialWindowSize: streamWindowBytes,
  maxHeaderListSize: maxHeaderListBytes,
  enablePush: false,
}

/** Serves HTTP/2 on the sandbox’s side; the host’s side is one HTTP/2 connection. Resolves at the end. */
export async function serveHttp2(session: Session): Promise<void> {
  const client = performServerHandshake(session.client, { settings })
  const ended = new Promise<void>((resolve) => session.client.once('close', () => resolve()))
  const host = makeHostSession(session, client)
  // Only Node’s own TLS server announces the end of a server’s handshake in the way that the session waits for.
  session.client.emit('secureConnect')
  client.setLocalWindowSize(connectionWindowBytes)
  client.on('error', () => session.client.destroy())
  client.on('stream', (stream: ServerHttp2Stream, headers, flags, rawHeaders: string[] = []) => {
    stream.on('error', () => undefined)
    void serveStream({ session, host, stream, flags, rawHeaders: rawHeaders.length > 0 ? rawHeaders : flat(headers) })
  })
  await ended
  host.end()
}

type HostSession = { get(): Promise<ClientHttp2Session>; end(): void }

/** The connection to the host, opened for the first request and kept as long as the sandbox’s. */
function makeHostSession(session: Session, client: ServerHttp2Session): HostSession {
  const { target, upstream, ended } = session
  let opening: Promise<ClientHttp2Session> | undefined
  const open = async () => {
    const socket = await (session.takeOpened('h2') ??
      upstream.open(target, { sandboxId: session.connection.sandboxId, protocols: ['h2'], signal: ended }))
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy()
      throw unreachable(target, { code: 'it no longer speaks HTTP/2' })
    }
    const host = connect(`https://${hostOf(target)}`, { createConnection: () => socket, settings })
    host.on('error', () => undefined)
    host.once('connect', () => host.setLocalWindowSize(connectionWindowBytes))
    // The sandbox gets the same notice; it opens another connection for what comes next.
    host.once('goaway', () => client.close())
    host.once('close', () => client.close())
    return host
  }
  return {
    get: () => {
      opening ??= open()
      opening.catch(() => {
        opening = undefined
      })
      return opening
    },
    end: () => void opening?.then((host) => host.destroy()).catch(() => undefined),
  }
}

type Serving = {
  session: Session
  host: HostSession
  stream: ServerHttp2Stream
  flags: number
  rawHeaders: readonly string[]
}

async function serveStream(serving: Serving): Promise<void> {
  const { session, stream, flags, rawHeaders } = serving
  let head: RequestHead | undefined
  let exchange: OpenExchange | undefined
  try {
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0
    head = readHttp2Head({ rawHeaders, hasBody }, session.target)
    exchange = beginExchange(session, head)
    exchange.onEnd(() => stream.close(constants.NGHTTP2_CANCEL))
    await forward({ ...serving, head, exchange })
  } catch (error) {
    const refusal = refusalFor(error)
    if (exchange !== undefined) exchange.report({ refused: refusal.error })
    else if (head !== undefined) reportRefusal(session, { error: refusal.error, head })
    if (!refusal.isRefusal) session.options.logger.debug({ err: error }, 'A brokered request failed')
    if (stream.headersSent || stream.destroyed || exchange?.isEnded === true) {
      stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    } else {
      discard(stream)
      stream.respond({ ':status': refusal.status, ...refusal.headers })
      stream.end(head?.method === 'HEAD' ? undefined : refusal.body)
    }
  } finally {
    exchange?.close()
  }
}

async function forward(serving: Serving & { head: RequestHead; exchange: OpenExchange }): Promise<void> {
  const { session, stream, head, exchange } = serving
  const sendContinue = () => {
    if (head.expectsContinue && !stream.headersSent && !stream.destroyed) stream.additionalHeaders({ ':status': 100 })
  }
  const body = await prepareBody({ source: stream, head, exchange, onCollect: sendContinue })
  const host = await serving.host.get()
  const expects = head.expectsContinue && body.kind === 'stream'
  const upstream = host.request(headersForHost({ session, head, exchange, body, expects }) as never, {
    endStream: body.kind === 'none' || (body.kind === 'whole' && body.bytes.length === 0),
  })
  const answer = Promise.withResolvers<{ flags: number; rawHeaders: string[] }>()
  const onResponse = (headers: IncomingHttpHeaders, flags: number, rawHeaders?: string[]) =>
    answer.resolve({ flags, rawHeaders: rawHeaders ?? flat(headers) })
  upstream.once('response', onResponse)
  upstream.on('error', answer.reject)
  upstream.once('close', () =>
    answer.reject(unreachable(session.target, { code: `stream ended (${upstream.rstCode})` })),
  )
  stream.once('close', () => upstream.close(constants.NGHTTP2_CANCEL))
  if (expects) upstream.once('continue', sendContinue)
  send({ body, stream, upstream })
  const { flags, rawHeaders } = await answer.promise.catch((error: unknown) => {
    upstream.close(constants.NGHTTP2_CANCEL)
    throw refusalFor(error).isRefusal ? error : unreachable(session.target, error)
  })
  const isEnded = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
  await passBack({ ...serving, head, exchange, upstream, rawHeaders, isEnded })
}

function send({
  body,
  stream,
  upstream,
}: {
  body: OutgoingBody
  stream: ServerHttp2Stream
  upstream: ClientHttp2Stream
}): void {
  if (body.kind === 'none') return
  if (body.kind === 'whole') {
    if (body.bytes.length > 0) upstream.end(body.bytes)
    return
  }
  body.through?.once('error', (error) => upstream.destroy(error))
  if (body.through === undefined) stream.pipe(upstream)
  else stream.pipe(body.through).pipe(upstream)
}

function headersForHost(options: {
  session: Session
  head: RequestHead
  exchange: OpenExchange
  body: OutgoingBody
  expects: boolean
}): string[] {
  const { session, head, exchange, body, expects } = options
  const pairs: [string, string][] = [
    [':method', head.method],
    [':scheme', 'https'],
    [':authority', hostOf(session.target)],
    [':path', exchange.inserted.path],
    ...exchange.inserted.headers,
    ['accept-encoding', 'identity'],
  ]
  if (body.kind === 'whole') pairs.push(['content-length', String(body.bytes.length)])
  if (body.kind === 'stream' && body.length !== 'unknown') pairs.push(['content-length', String(body.length)])
  if (expects) pairs.push(['expect', '100-continue'])
  return pairs.flat()
}

async function passBack(
  serving: Serving & {
    head: RequestHead
    exchange: OpenExchange
    upstream: ClientHttp2Stream
    rawHeaders: string[]
    isEnded: boolean
  },
): Promise<void> {
  const { session, stream, head, exchange, upstream, rawHeaders, isEnded } = serving
  const status = Number(rawHeaders[rawHeaders.indexOf(':status') + 1] ?? 502)
  const isEmpty = isEnded || head.method === 'HEAD' || [204, 304].includes(status)
  const host = hostOf(session.target)
  const echo = exchange.echo({ keepsLength: false })
  const answer = headForSandbox(rawHeaders, { echo, host, isEmpty })
  exchange.report({ status })
  if (stream.destroyed) return
  let trailers: string[] = []
  upstream.once('trailers', (headers: IncomingHttpHeaders, _flags: number, rawTrailers?: string[]) => {
    trailers = trailersForSandbox(rawTrailers ?? flat(headers), echo).flat()
  })
  const fields = [':status', String(status), ...answer.headers.flat()]
  stream.respond(fields as never, { endStream: isEnded, waitForTrailers: !isEnded })
  if (isEnded) return
  stream.once('wantTrailers', () => stream.sendTrailers(objectOf(trailers)))
  await pass({ source: upstream, steps: stepsFor(answer, exchange), target: stream })
  if (upstream.rstCode !== constants.NGHTTP2_NO_ERROR) stream.close(upstream.rstCode)
  else stream.end()
}

/** Headers as names and values in turns. */
function flat(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, String(one)]))
}

function objectOf(fields: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index] ?? ''
    found[name] = [...(found[name] ?? []), fields[index + 1] ?? '']
  }
  return found
}

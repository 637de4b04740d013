import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fromWireError, isThreadboxError } from '@threadbox/errors'
import { backgroundHeader, bootHeader, errorHeader, gatewayPaths } from '@threadbox/protocol/host'
import { connectForRelay, passBody } from '@threadbox/protocol/relay'
import { parseJson } from '../../platform/system/parse-json.ts'
import { hostUnreachable } from '../host/host.errors.ts'
import type { ChangedResponse } from './bridge/bridge-injection.ts'
import { previewBroken } from './previews.errors.ts'

/** A request on its way to a service of one boot. */
export type ProxiedRequest = {
  request: IncomingMessage
  sandbox: { id: string; bootId: string }
  port: number
  /** The headers for the service. */
  headers: readonly string[]
  /** Changes the service’s own headers for the browser. */
  headersForBrowser: (rawHeaders: readonly string[]) => string[]
  /** Changes a page on its way to the browser. */
  changeResponse?: ((incoming: IncomingMessage) => ChangedResponse) | undefined
  isBackground: boolean
  /** Aborts when the visitor’s access has ended. */
  signal: AbortSignal
}

/**
 * Passes requests through the gateway. Nothing is buffered: a slow reader slows the writer down, and when one
 * side ends or breaks off, so does the other. Rejects as long as nothing of a response was sent; errors of the gateway
 * itself are thrown unchanged.
 */
export type PreviewProxy = {
  pass(proxied: ProxiedRequest & { response: ServerResponse }): Promise<void>
  passUpgrade(proxied: ProxiedRequest & { socket: Duplex; head: Buffer }): Promise<void>
  close(): void
}

export function makePreviewProxy(options: { socketPath: string }): PreviewProxy {
  const agent = new GatewayConnections(options.socketPath)
  const openUpstream = (proxied: ProxiedRequest, more: { headers: string[]; agent: Agent | false }) => {
    const { request, sandbox, port } = proxied
    const own = [bootHeader, sandbox.bootId, ...(proxied.isBackground ? [backgroundHeader, '1'] : [])]
    return httpRequest({
      socketPath: options.socketPath,
      method: request.method ?? 'GET',
      path: gatewayPaths.port(sandbox.id, port) + (request.url ?? '/'),
      setHost: false,
      agent: more.agent,
      headers: [...proxied.headers, ...own, ...more.headers],
      signal: proxied.signal,
    })
  }
  return {
    pass: async (proxied) => {
      const { request, response, signal } = proxied
      const upstream = openUpstream(proxied, { headers: bodyFrame(request), agent })
      const answer = Promise.withResolvers<IncomingMessage>()
      upstream.once('response', answer.resolve)
      // Stays attached: after a response that came before the whole request was read, writing the rest of it fails.
      upstream.on('error', answer.reject)
      const abandon = () => {
        if (!request.complete || !response.writableFinished) upstream.destroy()
      }
      request.once('error', abandon)
      response.once('close', abandon)
      request.pipe(upstream)
      if (bodyFrame(request).length > 0 || 'content-length' in request.headers) upstream.flushHeaders()
      const incoming = await answer.promise.catch((error: unknown) => {
        request.unpipe(upstream)
        throw failureOf(error, proxied)
      })
      await throwIfGateways(incoming)
      const { rawHeaders, through } = proxied.changeResponse?.(incoming) ?? {
        rawHeaders: incoming.rawHeaders,
        through: [],
      }
      response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, proxied.headersForBrowser(rawHeaders))
      response.flushHeaders()
      if (through.length === 0) await passBody({ incoming, response, signal })
      else await pipeline([incoming, ...through, response], { signal })
    },
    passUpgrade: async (proxied) => {
      const { request, socket, head, signal } = proxied
      const headers = ['connection', 'Upgrade', 'upgrade', request.headers.upgrade ?? '']
      const upstream = openUpstream(proxied, { headers, agent: false })
      const answer = Promise.withResolvers<{ incoming: IncomingMessage; peer?: Socket; peerHead?: Buffer }>()
      upstream.once('upgrade', (incoming, peer, peerHead) => answer.resolve({ incoming, peer, peerHead }))
      upstream.once('response', (incoming) => answer.resolve({ incoming }))
      upstream.once('error', answer.reject)
      socket.once('close', () => upstream.destroy())
      upstream.end()
      const { incoming, peer, peerHead } = await answer.promise.catch((error: unknown) => {
        throw failureOf(error, proxied)
      })
      const own = proxied.headersForBrowser(incoming.rawHeaders)
      if (peer === undefined) {
        await throwIfGateways(incoming)
        socket.write(headText(incoming, [...own, 'connection', 'close']))
        await pipeline(incoming, socket, { signal })
        return
      }
      socket.write(headText(incoming, [...own, 'connection', 'Upgrade', 'upgrade', incoming.headers.upgrade ?? '']))
      if (peerHead !== undefined && peerHead.length > 0) socket.write(peerHead)
      if (head.length > 0) peer.write(head)
      peer.setNoDelay(true)
      peer.setTimeout(0)
      await Promise.all([pipeline(socket, peer, { signal }), pipeline(peer, socket, { signal })])
    },
    close: () => agent.destroy(),
  }
}

/** Connections to the gateway, kept between requests. */
class GatewayConnections extends Agent {
  readonly #path: string

  constructor(path: string) {
    super({ keepAlive: true, maxFreeSockets: 32 })
    this.#path = path
  }

  override createConnection(): Socket {
    return connectForRelay({ path: this.#path })
  }
}

/** A body without a length is sent in chunks; one with a length keeps it. */
function bodyFrame(request: IncomingMessage): string[] {
  return 'transfer-encoding' in request.headers ? ['transfer-encoding', 'chunked'] : []
}

async function throwIfGateways(incoming: IncomingMessage): Promise<void> {
  if (incoming.headers[errorHeader] === undefined) return
  const body = await text(incoming)
  throw fromWireError(parseJson(body)) ?? hostUnreachable({})
}

function failureOf(error: unknown, { port }: ProxiedRequest): unknown {
  if (isThreadboxError(error) || (error as Error).name === 'AbortError') return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return hostUnreachable({}, { cause: error })
  return previewBroken({ port, reason: message }, { cause: error })
}

function headText(incoming: IncomingMessage, headers: string[]): string {
  let head = `HTTP/1.1 ${incoming.statusCode} ${incoming.statusMessage}\r\n`
  for (let index = 0; index + 1 < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`
  return `${head}\r\n`
}

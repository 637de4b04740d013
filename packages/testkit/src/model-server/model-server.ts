import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicWire } from './anthropic-wire.ts'
import { googleWire } from './google-wire.ts'
import { isFailure, type ModelReply } from './model-reply.ts'
import { openaiChatWire } from './openai-chat-wire.ts'
import { asRecord, type RecordedRequest, type WireProtocol } from './recorded-request.ts'
import type { Wire } from './wire.ts'

/** Decides on the response to a request; undefined leaves it to the next rule, then to the queue. */
export type ReplyRule = (request: RecordedRequest) => ModelReply | undefined | Promise<ModelReply | undefined>

/**
 * A model provider on the loopback interface. It speaks the wire protocols of Anthropic, OpenAI, Google and
 * OpenAI-compatible servers, sends the responses that the test scripted, and keeps every request. Requests for a title
 * (they carry no tools) get a default response unless a rule applies, so that scripts contain only the conversation.
 */
export type ModelServer = AsyncDisposable & {
  /** The base URLs for connected models. */
  baseUrls: Record<WireProtocol | 'ollama', string>
  /** Requests of conversations in order of arrival. Title requests are in `titleRequests`. */
  requests: RecordedRequest[]
  titleRequests: RecordedRequest[]
  /** Adds responses to the queue, one per request. */
  reply(...replies: ModelReply[]): void
  /** Adds a rule that applies before the queue; the newest applies first. */
  when(rule: ReplyRule): void
  /** Resolves when this many requests of conversations have arrived. */
  received(count: number): Promise<RecordedRequest>
  /** The models that `GET /api/tags` lists, as Ollama does. */
  ollamaModels: string[]
  close(): Promise<void>
}

const wires: Record<WireProtocol, Wire> = {
  anthropic: anthropicWire,
  openai: openaiChatWire,
  'openai-compatible': openaiChatWire,
  google: googleWire,
}

export async function startModelServer(options: { port?: number } = {}): Promise<ModelServer> {
  const queue: ModelReply[] = []
  const rules: ReplyRule[] = []
  const waiting: { count: number; resolve: (request: RecordedRequest) => void }[] = []
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    if (path.startsWith('/ollama/api/tags')) return sendJson(response, 200, tagsOf(model.ollamaModels))
    const protocol = protocolOf(path)
    if (protocol === undefined || request.method !== 'POST') return sendJson(response, 404, { error: 'no such path' })
    const wire = wires[protocol]
    const recorded = await record(request, response, { protocol, wire, path })
    const isTitle = isTitleRequest(recorded)
    ;(isTitle ? model.titleRequests : model.requests).push(recorded)
    if (!isTitle) notify()
    const reply = (await ruled(recorded)) ?? (isTitle ? { text: 'A scripted title' } : queue.shift())
    if (reply === undefined) return sendJson(response, 500, { error: { message: 'The test scripted no reply.' } })
    await send(response, { reply, wire, recorded })
  }

  async function ruled(request: RecordedRequest): Promise<ModelReply | undefined> {
    for (const rule of rules) {
      const reply = await rule(request)
      if (reply !== undefined) return reply
    }
    return undefined
  }

  function notify(): void {
    for (const waiter of waiting.splice(0)) {
      const request = model.requests[waiter.count - 1]
      if (request === undefined) waiting.push(waiter)
      else waiter.resolve(request)
    }
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const model: ModelServer = {
    baseUrls: {
      anthropic: `${origin}/anthropic/v1`,
      openai: `${origin}/openai/v1`,
      google: `${origin}/google/v1beta`,
      'openai-compatible': `${origin}/compatible/v1`,
      ollama: `${origin}/ollama`,
    },
    requests: [],
    titleRequests: [],
    ollamaModels: [],
    reply: (...replies) => void queue.push(...replies),
    when: (rule) => void rules.unshift(rule),
    received: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve })
        notify()
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
  return model
}

function protocolOf(path: string): WireProtocol | undefined {
  if (path.startsWith('/anthropic/v1/messages')) return 'anthropic'
  if (path.startsWith('/openai/v1/chat/completions')) return 'openai'
  if (path.startsWith('/google/v1beta/models/') && path.includes(':streamGenerateContent')) return 'google'
  if (/^\/(compatible|ollama)\/v1\/chat\/completions/.test(path)) return 'openai-compatible'
  return undefined
}

async function record(
  request: IncomingMessage,
  response: ServerResponse,
  options: { protocol: WireProtocol; wire: Wire; path: string },
): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bodyText = Buffer.concat(chunks).toString('utf8')
  const body = asRecord(JSON.parse(bodyText))
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const closedEarly = new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(!response.writableFinished))
  })
  const { protocol, path } = options
  return { ...options.wire.view(body, path), protocol, headers, path, bodyText, body, closedEarly }
}

/** Recognizes a request for a title: it has no tools and contains words that the product does not use elsewhere. */
function isTitleRequest(request: RecordedRequest): boolean {
  return request.tools.length === 0 && /title for (the|this) conversation/i.test(request.system)
}

async function send(
  response: ServerResponse,
  options: { reply: ModelReply; wire: Wire; recorded: RecordedRequest },
): Promise<void> {
  const { reply, wire, recorded } = options
  if (isFailure(reply)) {
    if (reply.failure === 'cut') return void response.destroy()
    const { status, body } = wire.error(reply)
    const seconds = reply.retryAfterSeconds
    return sendJson(response, status, body, seconds === undefined ? {} : { 'retry-after': String(seconds) })
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  let pieces = 0
  for await (const frame of wire.frames(reply, recorded)) {
    if (response.destroyed) return
    if (typeof frame === 'string') {
      response.write(frame)
      continue
    }
    if (reply.errorAfterPieces === pieces) return void response.end(wire.errorInStream())
    // Flushed before the cut, so that the client gets the promised pieces.
    if (reply.cutAfterPieces === pieces) return void response.write(': cut\n\n', () => response.destroy())
    response.write(frame.piece)
    pieces += 1
  }
  response.end()
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function tagsOf(models: readonly string[]): unknown {
  return { models: models.map((name) => ({ name, model: name, size: 1, details: { family: 'test' } })) }
}

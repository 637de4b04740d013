import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { waitAtMost } from '@threadbox/concurrency'
import { defineError } from '@threadbox/errors'
import type { GitAnswer } from '@threadbox/protocol/guest'

export const gitRequestGone = defineError({
  code: 'guest.git-request-gone',
  kind: 'not-found',
  message: () => 'This git request is over: it was answered, or git stopped waiting.',
  remedy: () => 'No action is needed.',
})

/** A request as the follower gets it. */
export type AnnouncedRequest = { id: string; method: string; target: string; headers: Record<string, string> }

/** Headers that the other side can forward; all other headers stay here. */
const passedHeaders = [
  ...['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type'],
  ...['git-protocol', 'user-agent'],
]
/** A clone takes one at a time: this leaves room for many and bounds a loop. */
const maxOpen = 32
/** A follower that took a request has its own limits; this limit is for a request that is never answered. */
const longestWaitMs = 15 * 60_000
/** Why git gets no response, in words that git prints. */
type Refusal = { status: 403 | 503; text: string }
const notConnected: Refusal = {
  status: 503,
  text: "threadbox isn't connected to this sandbox right now, so git can't use the credential for this server. Try again in a few seconds.",
}
const tooMany: Refusal = {
  status: 503,
  text: `More than ${maxOpen} git requests are in progress in this sandbox. Try again when some have finished.`,
}
const ofPage: Refusal = {
  status: 403,
  text: "This address only serves git. Requests from web pages can't use a Git credential.",
}

type Exchange = {
  announced: AnnouncedRequest
  request: IncomingMessage
  response: ServerResponse
  isBodyTaken: boolean
  isAnswering: boolean
}

/**
 * Accepts git requests on loopback and hands each to the current follower, which brings the response. Nothing is
 * buffered.
 */
export type GitBroker = {
  server: Server
  /** Announces requests until it is aborted or another follower arrives. Null: nothing happened for `keepAliveMs`. */
  follow(options: { signal: AbortSignal; keepAliveMs: number }): AsyncGenerator<AnnouncedRequest | null>
  /** Streams what git sends. Throws `guest.git-request-gone`. */
  sendBody(id: string, to: ServerResponse): Promise<void>
  /** Streams the response to git. Throws `guest.git-request-gone`; rejects when either side breaks off. */
  takeAnswer(id: string, answer: GitAnswer, from: IncomingMessage): Promise<void>
}

export function makeGitBroker(): GitBroker {
  const exchanges = new Map<string, Exchange>()
  let announcements: AnnouncedRequest[] = []
  let follower: { replaced: () => void; wake: () => void } | undefined
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy())
    request.on('error', () => response.destroy())
    if (!isOfProgram(request)) return refuse(response, ofPage)
    if (follower === undefined) return refuse(response, notConnected)
    if (exchanges.size >= maxOpen) return refuse(response, tooMany)
    const announced = announcementOf(request)
    exchanges.set(announced.id, { announced, request, response, isBodyTaken: false, isAnswering: false })
    response.setTimeout(longestWaitMs, () => response.destroy())
    response.once('close', () => exchanges.delete(announced.id))
    announcements.push(announced)
    follower.wake()
  })
  server.requestTimeout = 0
  // git reuses the connection for its next request once it has read a response.
  server.keepAliveTimeout = 60_000
  const find = (id: string) => {
    const exchange = exchanges.get(id)
    if (exchange === undefined) throw gitRequestGone({})
    return exchange
  }
  const follow: GitBroker['follow'] = async function* ({ signal, keepAliveMs }) {
    const left = new AbortController()
    let something = Promise.withResolvers<void>()
    const own = { replaced: () => left.abort(), wake: () => something.resolve() }
    follower?.replaced()
    follower = own
    const over = AbortSignal.any([signal, left.signal])
    over.addEventListener('abort', () => something.resolve())
    try {
      while (!over.aborted) {
        const next = announcements.shift()
        if (next !== undefined) {
          if (exchanges.has(next.id)) yield next
          continue
        }
        something = Promise.withResolvers<void>()
        if ((await waitAtMost(keepAliveMs, { work: something.promise })) === 'late') yield null
      }
    } finally {
      // A newer follower answers the requests that this one received: it belongs to the same server.
      if (follower === own) {
        follower = undefined
        announcements = []
        for (const { response, isAnswering } of exchanges.values()) if (!isAnswering) refuse(response, notConnected)
      }
    }
  }
  return {
    server,
    follow,
    sendBody: async (id, to) => {
      const exchange = find(id)
      if (exchange.isBodyTaken) throw gitRequestGone({})
      exchange.isBodyTaken = true
      const length = exchange.announced.headers['content-length']
      to.writeHead(200, {
        'content-type': 'application/octet-stream',
        ...(length === undefined ? {} : { 'content-length': length }),
      })
      to.flushHeaders()
      await pipeline(exchange.request, to).catch(brokenOff)
    },
    takeAnswer: async (id, { status, headers }, from) => {
      const exchange = find(id)
      if (exchange.isAnswering || exchange.response.headersSent) throw gitRequestGone({})
      exchange.isAnswering = true
      exchange.response.setTimeout(0)
      exchange.response.writeHead(status, headers)
      exchange.response.flushHeaders()
      // Broken off here, git's connection breaks off too: git never takes a part for the whole.
      await pipeline(from, exchange.response).catch(brokenOff)
    },
  }
}

function brokenOff(cause: unknown): never {
  throw gitRequestGone({}, { cause })
}

/**
 * Browsers send the origin of a page, which the page cannot prevent; a page whose own hostname resolves to here is
 * recognized by that hostname.
 */
function isOfProgram({ headers, socket }: IncomingMessage): boolean {
  const isOfBrowser = Object.keys(headers).some((name) => name === 'origin' || name.startsWith('sec-fetch-'))
  return !isOfBrowser && headers.host === `127.0.0.1:${socket.localPort}`
}

function announcementOf(request: IncomingMessage): AnnouncedRequest {
  const headers = Object.fromEntries(
    passedHeaders.flatMap((name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  return { id: randomUUID(), method: request.method ?? 'GET', target: request.url ?? '/', headers }
}

/** git prints plain text of a refusing response, each line behind `remote:`. */
function refuse(response: ServerResponse, { status, text }: Refusal): void {
  if (response.headersSent || response.destroyed) return
  const again = status === 503 ? { 'retry-after': '5' } : {}
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...again })
  response.end(`${text}\n`)
}

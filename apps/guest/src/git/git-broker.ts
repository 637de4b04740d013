import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { waitAtMost } from '@threadbox/concurrency'
import { defineError } from '@threadbox/errors'
import type { GitAnswer } from '@threadbox/protocol/guest'

export const gitRequestGone = defineError({
  code: 'guest.git-request-gone',
  kind: 'not-found',
  message: () => 'This git request has ended, or is already being handled.',
  remedy: () => 'If git reported an error, run its command again.',
})

/** A request as the follower gets it. */
export type AnnouncedRequest = { id: string; method: string; target: string; headers: Record<string, string> }

/** Headers that the follower gets; all others are dropped. */
const passedHeaders = [
  ...['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type'],
  ...['git-protocol', 'user-agent'],
]
/** A clone has one open request at a time: room for many clones, and a limit for a program that asks in a loop. */
const maxOpen = 32
/** Longest silence on git's connection before the response begins; from then on the follower limits the exchange. */
const idleTimeoutMs = 15 * 60_000
/** The response that git gets instead of the follower's; git prints the text. */
type Refusal = { status: 403 | 503; text: string }
const notConnected: Refusal = {
  status: 503,
  text: "threadbox isn't connected to this sandbox right now, so git can't use the credential for this server. Try again in a few seconds.",
}
const tooMany: Refusal = {
  status: 503,
  text: `A sandbox can have up to ${maxOpen} git requests in progress. Try again when some have finished.`,
}
const fromWebPage: Refusal = {
  status: 403,
  text: "This address only serves git. Requests from web pages can't use a Git credential.",
}
const otherHost: Refusal = {
  status: 403,
  text: "This address only serves git as 127.0.0.1, not under another name. Use the URL from the sandbox's Git configuration.",
}

type Exchange = {
  announced: AnnouncedRequest
  request: IncomingMessage
  response: ServerResponse
  isBodyTaken: boolean
  isAnswering: boolean
}

/**
 * Accepts git requests and announces each to the current follower, which sends the response. Bodies are streamed, not
 * buffered. The owner binds `server` to 127.0.0.1.
 */
export type GitBroker = {
  server: Server
  /** Yields requests until `signal` aborts or another follower arrives; null if none came for `keepAliveMs`. */
  follow(options: { signal: AbortSignal; keepAliveMs: number }): AsyncGenerator<AnnouncedRequest | null>
  /**
   * Streams the body of git's request. Throws `guest.git-request-gone` if the request has ended, if its body was sent
   * before, and when either side breaks off.
   */
  sendBody(id: string, to: ServerResponse): Promise<void>
  /**
   * Streams the response to git. Throws `guest.git-request-gone` if the request has ended, if it already has a
   * response, and when either side breaks off. Headers that HTTP forbids are another error, and leave the request open.
   */
  takeAnswer(id: string, answer: GitAnswer, from: IncomingMessage): Promise<void>
}

export function makeGitBroker(): GitBroker {
  const exchanges = new Map<string, Exchange>()
  let announcements: AnnouncedRequest[] = []
  let follower: { replaced: () => void; wake: () => void } | undefined
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy())
    request.on('error', () => response.destroy())
    const refusal = refusalOf(request)
    if (refusal !== undefined) return refuse(response, refusal)
    if (follower === undefined) return refuse(response, notConnected)
    if (exchanges.size >= maxOpen) return refuse(response, tooMany)
    const announced = announcementOf(request)
    exchanges.set(announced.id, { announced, request, response, isBodyTaken: false, isAnswering: false })
    response.setTimeout(idleTimeoutMs, () => response.destroy())
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
    const replaced = new AbortController()
    let wakeUp = Promise.withResolvers<void>()
    const own = { replaced: () => replaced.abort(), wake: () => wakeUp.resolve() }
    follower?.replaced()
    follower = own
    const stopped = AbortSignal.any([signal, replaced.signal])
    stopped.addEventListener('abort', () => wakeUp.resolve())
    try {
      while (!stopped.aborted) {
        const next = announcements.shift()
        if (next !== undefined) {
          if (exchanges.has(next.id)) yield next
          continue
        }
        wakeUp = Promise.withResolvers<void>()
        if ((await waitAtMost(keepAliveMs, { work: wakeUp.promise })) === 'late') yield null
      }
    } finally {
      // A newer follower is the same threadbox server, connected again: it responds to the requests that this one got.
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
      exchange.response.writeHead(status, headers)
      exchange.isAnswering = true
      exchange.response.setTimeout(0)
      exchange.response.flushHeaders()
      // A failed stream destroys git's connection too, so that git can't take a part of the response for all of it.
      await pipeline(from, exchange.response).catch(brokenOff)
    },
  }
}

function brokenOff(cause: unknown): never {
  throw gitRequestGone({}, { cause })
}

/**
 * Refuses what a web page can send. A browser adds `Origin` or `Sec-Fetch-*`, which the page cannot prevent. If the
 * page's own hostname resolves to this address (DNS rebinding), `Host` has that name.
 */
function refusalOf({ headers, socket }: IncomingMessage): Refusal | undefined {
  if (Object.keys(headers).some((name) => name === 'origin' || name.startsWith('sec-fetch-'))) return fromWebPage
  return headers.host === `127.0.0.1:${socket.localPort}` ? undefined : otherHost
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

/** git prints the plain text of an error response, each line prefixed with `remote:`. */
function refuse(response: ServerResponse, { status, text }: Refusal): void {
  if (response.headersSent || response.destroyed) return
  const retryHeaders = status === 503 ? { 'retry-after': '5' } : {}
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...retryHeaders })
  response.end(`${text}\n`)
}

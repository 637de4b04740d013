import { isThreadboxError } from '@threadbox/errors/error'
import { type Connection, errorOf, type Query, serverUnreachable } from './request.ts'
import { makeSseParser } from './sse-parser.ts'

/** What the connection behind a stream is doing, for an offline banner. */
export type StreamStatus =
  | { state: 'connecting' }
  | { state: 'open' }
  /** Lost; the next attempt is in `delayMs`, or at once when `retryNow` is called. */
  | { state: 'waiting'; attempt: number; delayMs: number; retryNow: () => void }

export type StreamOptions<Event> = {
  onEvent: (event: Event) => void
  onStatus?: (status: StreamStatus) => void
  signal: AbortSignal
}

/** Waits between attempts; the last one repeats. */
const retryDelaysMs = [250, 500, 1000, 2000, 4000, 8000, 15_000]
/** The server sends a keep-alive every 15 s: after two and a half of them without a byte the connection is dead. */
const silenceLimitMs = 38_000

/**
 * Reads a server-sent event stream until `signal` aborts, reconnecting with backoff and the last seen id. Resolves on
 * abort and after an event that `isLast` names; rejects when the server refuses for good (not found, not allowed,
 * logged out).
 */
export async function followStream<Event>(
  connection: Connection,
  target: { path: string; query?: Query; isLast?: (event: Event) => boolean } & StreamOptions<Event>,
): Promise<void> {
  let lastId: string | undefined
  let attempt = 0
  const ended = new AbortController()
  const signal = AbortSignal.any([target.signal, ended.signal])
  while (!signal.aborted) {
    target.onStatus?.({ state: 'connecting' })
    try {
      await readOnce(connection, {
        ...target,
        signal,
        lastId,
        onOpen: () => target.onStatus?.({ state: 'open' }),
        onBytes: () => {
          attempt = 0
        },
        onMessage: (message) => {
          if (message.id !== null) lastId = message.id
          const event = JSON.parse(message.data) as Event
          target.onEvent(event)
          if (target.isLast?.(event) === true) ended.abort()
        },
      })
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
    }
    if (signal.aborted) return
    await waitForRetry(attempt, target)
    attempt += 1
  }
}

async function readOnce(
  connection: Connection,
  options: {
    path: string
    query?: Query
    lastId: string | undefined
    signal: AbortSignal
    onOpen: () => void
    onBytes: () => void
    onMessage: (message: { id: string | null; data: string }) => void
  },
): Promise<void> {
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), silenceLimitMs)
  try {
    const response = await connection.fetch(connection.url(options.path, options.query), {
      headers: {
        ...connection.headers,
        accept: 'text/event-stream',
        ...(options.lastId === undefined ? {} : { 'last-event-id': options.lastId }),
      },
      signal,
    })
    if (!response.ok) throw await errorOf(response)
    if (response.body === null) throw serverUnreachable(undefined)
    options.onOpen()
    const parse = makeSseParser()
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      options.onBytes()
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceLimitMs)
      for (const message of parse(decoder.decode(part.value, { stream: true }))) {
        if (options.signal.aborted) return
        options.onMessage(message)
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

/** An answer that another attempt would only repeat. */
function isFinal(error: unknown): boolean {
  return isThreadboxError(error) && ['not-found', 'unauthenticated', 'forbidden', 'invalid'].includes(error.kind)
}

function waitForRetry(attempt: number, options: { signal: AbortSignal; onStatus?: (status: StreamStatus) => void }) {
  const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)] ?? 0
  return new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, delayMs)
    options.signal.addEventListener('abort', finish)
    options.onStatus?.({ state: 'waiting', attempt: attempt + 1, delayMs, retryNow: finish })
  })
}

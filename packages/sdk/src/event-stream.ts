import { delaysOf, waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors/error'
import { type Connection, errorOf, type Query, serverUnreachable } from './request.ts'
import { makeSseParser } from './sse-parser.ts'

/** The state of the connection behind a stream, for an offline banner. */
export type StreamStatus =
  | { state: 'connecting' }
  | { state: 'open' }
  /** Lost; the next attempt is in `delayMs`, or immediately when `retryNow` is called. */
  | { state: 'waiting'; attempt: number; delayMs: number; retryNow: () => void }

export type StreamOptions<Event> = {
  onEvent: (event: Event) => void
  onStatus?: (status: StreamStatus) => void
  signal: AbortSignal
}

/** Identifies a stream: as a separate request, and as the message that opens it on a socket. */
export type StreamTarget<Event> = StreamOptions<Event> & {
  path: string
  query?: Query
  source: { source: 'user' } | { source: 'thread'; threadId: string; after: number }
  isLast?: (event: Event) => boolean
}

/** One attempt to read a stream. Resolves when the server ended it, rejects when it was rejected or lost. */
export type ReadOnce = (connection: Connection, attempt: StreamAttempt) => Promise<void>
export type StreamAttempt = Pick<StreamTarget<never>, 'path' | 'query' | 'source'> & {
  /** The number of the last received event; undefined before the first one. */
  lastSeq: number | undefined
  signal: AbortSignal
  onOpen: () => void
  onBytes: () => void
  onEvent: (event: unknown) => void
}

/** Delays between attempts; the last one repeats. */
const retryDelayMs = delaysOf([250, 500, 1000, 2000, 4000, 8000, 15_000])
/** The server sends something every 15 s: after two and a half of these without a byte the connection is dead. */
export const silenceLimitMs = 38_000

/**
 * Reads a stream until `signal` aborts, reconnecting with backoff after the last received event. Resolves on abort and
 * after an event for which `isLast` is true; rejects on a permanent error (not found, not allowed, signed out).
 * `onRetryNow` registers a function that ends a delay early and returns how to unregister it.
 */
export async function followStream<Event>(
  connection: Connection,
  target: StreamTarget<Event>,
  transport: { readOnce: ReadOnce; onRetryNow?: (retryNow: () => void) => () => void } = { readOnce: readEvents },
): Promise<void> {
  let lastSeq: number | undefined
  let attempt = 0
  const ended = new AbortController()
  const signal = AbortSignal.any([target.signal, ended.signal])
  while (!signal.aborted) {
    target.onStatus?.({ state: 'connecting' })
    try {
      await transport.readOnce(connection, {
        path: target.path,
        source: target.source,
        lastSeq,
        signal,
        ...(target.query === undefined ? {} : { query: target.query }),
        onOpen: () => target.onStatus?.({ state: 'open' }),
        onBytes: () => {
          attempt = 0
        },
        onEvent: (received) => {
          lastSeq = seqOf(received) ?? lastSeq
          const event = received as Event
          target.onEvent(event)
          if (target.isLast?.(event) === true) ended.abort()
        },
      })
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
    }
    if (signal.aborted) return
    await waitForRetry(attempt, { ...target, ...transport })
    attempt += 1
  }
}

/** The number of a recorded event; undefined for a live-only event. */
export function seqOf(event: unknown): number | undefined {
  const { seq } = event as { seq?: unknown }
  return typeof seq === 'number' ? seq : undefined
}

/** Reads a stream as server-sent events. */
export async function readEvents(connection: Connection, options: StreamAttempt): Promise<void> {
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), silenceLimitMs)
  try {
    const response = await connection.fetch(connection.url(options.path, options.query), {
      headers: {
        ...connection.headers,
        accept: 'text/event-stream',
        ...(options.lastSeq === undefined ? {} : { 'last-event-id': String(options.lastSeq) }),
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
        options.onEvent(JSON.parse(message.data))
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Whether another attempt would only repeat this error. */
export function isFinal(error: unknown): boolean {
  return isThreadboxError(error) && ['not-found', 'unauthenticated', 'forbidden', 'invalid'].includes(error.kind)
}

async function waitForRetry(
  attempt: number,
  options: {
    signal: AbortSignal
    onStatus?: (status: StreamStatus) => void
    onRetryNow?: (retryNow: () => void) => () => void
  },
) {
  const delayMs = retryDelayMs(attempt)
  const { promise, resolve: retryNow } = Promise.withResolvers<void>()
  const forget = options.onRetryNow?.(retryNow)
  options.onStatus?.({ state: 'waiting', attempt: attempt + 1, delayMs, retryNow })
  await waitAtMost(delayMs, { work: promise, signal: options.signal })
  forget?.()
}

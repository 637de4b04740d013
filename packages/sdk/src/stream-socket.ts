import type { ErrorKind } from '@threadbox/errors'
import { ThreadboxError } from '@threadbox/errors/error'
import type { StreamClientFrame, StreamServerFrame } from '@threadbox/protocol/public'
import { streamCloseCodes, streamWindow } from '@threadbox/protocol/public/stream-socket'
import {
  followStream,
  isFinal,
  readEvents,
  type StreamAttempt,
  type StreamTarget,
  seqOf,
  silenceLimitMs,
} from './event-stream.ts'
import { type Connection, serverUnreachable } from './request.ts'

/**
 * Carries all event streams of one client over one WebSocket, so that a browser tab uses none of its six HTTP
 * connections per origin for them. If WebSockets are blocked, each stream is read as server-sent events instead.
 */
export type StreamSocket = {
  follow<Event>(target: StreamTarget<Event>): Promise<void>
  /** Closes the connection until `resume`, which continues every stream after its last event. */
  suspend(): void
  resume(): void
}

/**
 * The number of consecutive failed handshakes while the server responded to requests after which WebSockets count as
 * blocked.
 */
const maxRefusals = 3
/** The time limit of the request that checks whether the server responds. */
const probeLimitMs = 10_000

/** A stream that is read over the socket or waits for it to open. */
type Reader = StreamAttempt & {
  /** Its number on the current socket. */
  stream: number
  isOpened: boolean
  done: PromiseWithResolvers<void>
}

type State = {
  connection: Connection
  open: (url: string) => WebSocket
  socket: WebSocket | undefined
  readers: Set<Reader>
  /** Functions that end the delays of streams between two attempts. */
  waiting: Set<() => void>
  lastStream: number
  refusals: number
  isSuspended: boolean
}

export function makeStreamSocket(connection: Connection, open: (url: string) => WebSocket): StreamSocket {
  const state: State = {
    connection,
    open,
    socket: undefined,
    readers: new Set(),
    waiting: new Set(),
    lastStream: 0,
    refusals: 0,
    isSuspended: false,
  }
  return {
    follow: (target) =>
      followStream(connection, target, {
        readOnce: (_connection, attempt) =>
          state.refusals < maxRefusals ? read(state, attempt) : readEvents(connection, attempt),
        onRetryNow: (retryNow) => {
          state.waiting.add(retryNow)
          return () => state.waiting.delete(retryNow)
        },
      }),
    suspend: () => {
      state.isSuspended = true
      drop(state)
    },
    resume: () => {
      if (!state.isSuspended) return
      state.isSuspended = false
      if (state.readers.size > 0) connect(state)
      retryAll(state)
    },
  }
}

async function read(state: State, attempt: StreamAttempt): Promise<void> {
  if (attempt.signal.aborted) return
  const reader: Reader = { ...attempt, stream: 0, isOpened: false, done: Promise.withResolvers() }
  const stop = () => reader.done.resolve()
  attempt.signal.addEventListener('abort', stop)
  state.readers.add(reader)
  if (state.socket?.readyState === WebSocket.OPEN) begin(state, reader)
  else if (state.socket === undefined && !state.isSuspended) connect(state)
  try {
    await reader.done.promise
  } finally {
    attempt.signal.removeEventListener('abort', stop)
    state.readers.delete(reader)
    if (reader.stream !== 0) send(state, { type: 'close', stream: reader.stream })
    // A stream that is opened right after the last one has ended keeps the socket.
    setTimeout(() => {
      if (state.readers.size === 0) drop(state)
    }, 0)
  }
}

function connect(state: State): void {
  const socket = state.open(state.connection.url('/events/socket').replace(/^http/, 'ws'))
  const isCurrent = () => state.socket === socket
  let hasOpened = false
  let received = 0
  let acknowledged = 0
  let silence: ReturnType<typeof setTimeout> | undefined
  const restartSilenceTimer = () => {
    clearTimeout(silence)
    silence = setTimeout(() => isCurrent() && lose(state, serverUnreachable(undefined)), silenceLimitMs)
  }
  state.socket = socket
  restartSilenceTimer()
  socket.onopen = () => {
    if (!isCurrent()) return
    hasOpened = true
    state.refusals = 0
    for (const reader of state.readers) begin(state, reader)
    retryAll(state)
  }
  socket.onmessage = ({ data }) => {
    if (!isCurrent()) return
    restartSilenceTimer()
    const text = String(data)
    take(state, JSON.parse(text) as StreamServerFrame)
    received += text.length
    if (received - acknowledged < streamWindow.acknowledgeAfter) return
    acknowledged = received
    send(state, { type: 'ack', characters: received })
  }
  socket.onclose = ({ code }) => {
    clearTimeout(silence)
    if (!isCurrent()) return
    if (hasOpened && code !== streamCloseCodes.signedOut) return lose(state, serverUnreachable(undefined))
    // A browser does not report why a handshake failed; a request does.
    void refusal(state, { hasOpened }).then((error) => isCurrent() && lose(state, error))
  }
}

/** Determines why the socket failed. */
async function refusal(state: State, { hasOpened }: { hasOpened: boolean }): Promise<unknown> {
  try {
    await state.connection.json('GET', '/me', { signal: AbortSignal.timeout(probeLimitMs) })
    if (!hasOpened) state.refusals += 1
    return serverUnreachable(undefined)
  } catch (error) {
    return isFinal(error) ? error : serverUnreachable(error)
  }
}

function begin(state: State, reader: Reader): void {
  state.lastStream += 1
  reader.stream = state.lastStream
  reader.isOpened = false
  const { stream, source, lastSeq } = reader
  const frame: StreamClientFrame =
    source.source === 'user'
      ? { type: 'open', stream, source: 'user' }
      : { type: 'open', stream, source: 'thread', threadId: source.threadId, after: lastSeq ?? source.after }
  send(state, frame)
}

function take(state: State, frame: StreamServerFrame): void {
  if (frame.type === 'alive') return
  if (frame.type === 'error') {
    refuseUnopened(state, frame)
    return
  }
  // A closed stream can still have events in transit.
  const reader = [...state.readers].find(({ stream }) => stream === frame.stream)
  if (reader === undefined || reader.signal.aborted) return
  if (frame.type === 'ended') {
    reader.stream = 0
    if (frame.error === null) reader.done.resolve()
    else reader.done.reject(errorIn(frame.error))
    return
  }
  reader.onBytes()
  if (frame.type === 'opened') {
    reader.isOpened = true
    reader.onOpen()
    return
  }
  reader.lastSeq = seqOf(frame.event) ?? reader.lastSeq
  reader.onEvent(frame.event)
}

/** The server rejected a message: the stream that it was meant to open fails. */
function refuseUnopened(state: State, { stream, error }: Extract<StreamServerFrame, { type: 'error' }>): void {
  for (const reader of state.readers) {
    if (reader.isOpened || (stream !== null && stream !== reader.stream)) continue
    reader.stream = 0
    reader.done.reject(errorIn(error))
  }
}

/** The socket was lost: every stream decides by the error whether to retry. */
function lose(state: State, error: unknown): void {
  drop(state)
  for (const reader of state.readers) reader.done.reject(error)
}

function drop(state: State): void {
  const { socket } = state
  state.socket = undefined
  for (const reader of state.readers) reader.stream = 0
  socket?.close()
}

function retryAll(state: State): void {
  for (const retryNow of [...state.waiting]) retryNow()
}

function send({ socket }: State, frame: StreamClientFrame): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
}

function errorIn(error: { code: string; kind: string; message: string; remedy: string; details: object }) {
  const { code, kind, message, remedy, details } = error
  return new ThreadboxError({ code, kind: kind as ErrorKind, message, remedy, details: { ...details } })
}

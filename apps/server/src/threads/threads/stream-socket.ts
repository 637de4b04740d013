import { isThreadboxError, toWireError } from '@threadbox/errors'
import {
  maxStreams,
  type StreamClientFrame,
  type StreamServerFrame,
  streamAliveEveryMs,
  streamClientFrameSchema,
  streamWindow,
} from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { RawData, WebSocket } from 'ws'
import type { Caller } from '../../platform/http/caller.ts'
import type { SseMessage } from '../../platform/http/event-stream.ts'
import { endWhenUnanswered, processInOrder } from '../../platform/http/socket-messages.ts'
import { parseJson } from '../../platform/system/parse-json.ts'
import { makeStreamOutlet, type OutletLimits, type StreamOutlet } from './stream-outlet.ts'
import type { StreamSources } from './stream-sources.ts'
import { streamFrameInvalid, streamLimitReached } from './streams.errors.ts'

/** The longest useful message of a client is a fraction of this. */
const maxFrameBytes = 4096
/** With more bytes of waiting messages, the socket is not read. */
const maxWaitingBytes = 64 * 1024
/**
 * With `streamAliveEveryMs` this is a minute: the same limit as for a reader of server-sent events that stops reading.
 */
const maxUnanswered = 4

type OpenFrame = Extract<StreamClientFrame, { type: 'open' }>

export type StreamSocketDependencies = {
  sources: StreamSources
  logger: Logger
  limits?: Partial<OutletLimits>
}

/** Serves a page's event streams over one socket, from the handshake to its end. */
export function serveStreams(
  parts: StreamSocketDependencies,
  { peer, caller }: { peer: WebSocket; caller: Caller },
): void {
  const closed = new AbortController()
  peer.once('close', () => closed.abort())
  // `close` follows; without a listener the error would end the process.
  peer.on('error', (error) => parts.logger.debug({ err: error }, 'a socket of event streams broke'))
  const limits = { maxUnacknowledged: streamWindow.maxUnacknowledged, stallMs: 60_000, ...parts.limits }
  const outlet = makeStreamOutlet(peer, limits, closed.signal)
  const session: Session = { ...parts, caller, outlet, streams: new Map(), signal: closed.signal }
  endWhenUnanswered(peer, { pingEveryMs: streamAliveEveryMs, maxUnanswered })
  const alive = setInterval(() => void answer(session, { type: 'alive' }), streamAliveEveryMs)
  alive.unref()
  peer.once('close', () => clearInterval(alive))
  takeFrames(session, peer)
}

type OpenStream = { closing: AbortController; ended: Promise<void> }

type Session = StreamSocketDependencies & {
  caller: Caller
  outlet: StreamOutlet
  /** Streams that the client has opened and that haven't ended. */
  streams: Map<number, OpenStream>
  signal: AbortSignal
}

function takeFrames(session: Session, peer: WebSocket): void {
  const inOrder = processInOrder(peer, { maxWaitingBytes })
  peer.on('message', (data: RawData, isBinary) => {
    const bytes = data as Buffer
    const frame = frameOf(bytes, isBinary)
    if ('problem' in frame) return inOrder(bytes.length, () => refuse(session, frame))
    if (frame.type === 'ack') return session.outlet.acknowledge(frame.characters)
    inOrder(bytes.length, async () => {
      if (frame.type === 'open') await openStream(session, frame)
      else await closeStream(session, frame.stream)
    })
  })
}

/** Why a message is invalid, and the stream that it names, if any. */
type Unusable = { stream: number | null; problem: string }

function frameOf(bytes: Buffer, isBinary: boolean): StreamClientFrame | Unusable {
  if (isBinary) return { stream: null, problem: 'it is binary' }
  if (bytes.length > maxFrameBytes) return { stream: null, problem: `it is longer than ${maxFrameBytes} bytes` }
  const value = parseJson(bytes.toString('utf8'))
  if (value === undefined) return { stream: null, problem: 'it is not JSON' }
  const parsed = streamClientFrameSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const { stream } = Object(value) as { stream?: unknown }
  return {
    stream: Number.isSafeInteger(stream) ? (stream as number) : null,
    problem: `${issue?.path.join('.') || 'message'}: ${issue?.message}`,
  }
}

async function openStream(session: Session, frame: OpenFrame): Promise<void> {
  const { streams } = session
  const { stream } = frame
  if (streams.has(stream)) return await refuse(session, { stream, problem: `stream: ${stream} is already open` })
  if (streams.size >= maxStreams) return await end(session, stream, streamLimitReached({ max: maxStreams }))
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, session.signal])
  try {
    const messages = (await sourceOf(session, frame))(signal)
    // Following starts with the first call, so that everything after `opened` is in the stream.
    const first = messages.next()
    first.catch(() => {})
    await answer(session, { type: 'opened', stream })
    streams.set(stream, { closing, ended: pump(session, { stream, messages, first, signal }) })
  } catch (error) {
    await end(session, stream, error)
  }
}

/**
 * Resolves when nothing of the stream is left, so that a client that opens and closes endlessly costs no more than any
 * other.
 */
async function closeStream({ streams }: Session, stream: number): Promise<void> {
  const open = streams.get(stream)
  open?.closing.abort()
  await open?.ended
}

async function sourceOf({ sources, caller }: Session, frame: OpenFrame) {
  if (frame.source === 'user') return (signal: AbortSignal) => sources.user(caller, signal)
  return await sources.thread(caller, { threadId: frame.threadId, afterSeq: frame.after })
}

/** Sends a stream as fast as the client reads, until it ends or is closed. Never rejects. */
async function pump(
  session: Session,
  options: {
    stream: number
    messages: AsyncGenerator<SseMessage>
    first: Promise<IteratorResult<SseMessage>>
    signal: AbortSignal
  },
): Promise<void> {
  const { stream, messages, signal } = options
  const failure = await send(session, options).then(
    () => null,
    (error: unknown) => error,
  )
  await messages.return(undefined).catch(() => {})
  session.streams.delete(stream)
  if (!signal.aborted) await end(session, stream, failure)
}

async function send(session: Session, options: Parameters<typeof pump>[1]): Promise<void> {
  const { stream, messages, first, signal } = options
  for (let next = await first; !next.done && !signal.aborted; next = await messages.next()) {
    // The event is already JSON and is inserted unchanged.
    await session.outlet.event(`{"type":"event","stream":${stream},"event":${next.value.data}}`, signal)
  }
}

async function answer({ outlet }: Session, frame: StreamServerFrame): Promise<void> {
  await outlet.answer(JSON.stringify(frame))
}

async function end(session: Session, stream: number, error: unknown): Promise<void> {
  if (error !== null && !isThreadboxError(error)) session.logger.warn({ err: error }, 'an event stream failed')
  await answer(session, { type: 'ended', stream, error: error === null ? null : toWireError(error).error })
}

async function refuse(session: Session, { stream, problem }: Unusable): Promise<void> {
  const { error } = toWireError(streamFrameInvalid({ problem }))
  await answer(session, { type: 'error', stream, error })
}

import type { ErrorKind } from '@threadbox/errors'
import { ThreadboxError } from '@threadbox/errors/error'

/** The address of the API and how to call it. */
export type ClientOptions = {
  /** The installation’s origin; empty in the browser, where the app and the API share one. */
  baseUrl?: string
  fetch?: typeof fetch
  /** Sent as a bearer token. Without it the browser's session cookie is used. */
  apiKey?: string
  /**
   * Opens a WebSocket that carries all streams of this client. Without it each stream is an open request, of which
   * browsers allow six per origin across all tabs.
   */
  streamSocket?: (url: string) => WebSocket
}

export type Query = Record<string, string | number | boolean | null | undefined>
/** Bytes to send: from memory, from a chosen file, or streamed. */
export type UploadBody = Blob | FormData | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
export type RequestOptions = {
  query?: Query
  json?: unknown
  body?: UploadBody
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** The only HTTP access of the SDK. Every failure becomes a ThreadboxError. */
export type Connection = {
  /** Returns the address of an API path, for links, images and downloads. */
  url(path: string, query?: Query): string
  /** The headers that authenticate the caller. */
  headers: Record<string, string>
  fetch: typeof fetch
  /** Sends a request and returns the successful response, its body unread. */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>
  /** Sends a request and reads the JSON response; undefined if it is empty. */
  json<Answer>(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

export function connect(options: ClientOptions): Connection {
  const base = (options.baseUrl ?? '').replace(/\/+$/, '')
  const fetchOnce = options.fetch ?? globalThis.fetch.bind(globalThis)
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }

  const url = (path: string, query: Query = {}) => {
    const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
    const search = new URLSearchParams(
      entries.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
    return `${base}/api/v1${path}${search === '' ? '' : `?${search}`}`
  }
  const send = async (method: string, path: string, request: RequestOptions = {}) => {
    const response = await fetchOnce(url(path, request.query), {
      method,
      headers: {
        ...headers,
        ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
      ...(request.body === undefined ? {} : { body: request.body, duplex: 'half' }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    } as RequestInit).catch((error: unknown) => {
      request.signal?.throwIfAborted()
      throw serverUnreachable(error)
    })
    if (!response.ok) throw await errorOf(response)
    return response
  }
  const json = async <Answer>(method: string, path: string, request?: RequestOptions) => {
    const response = await send(method, path, request)
    const text = await response.text()
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
  return { url, headers, fetch: fetchOnce, send, json }
}

/** For a request without a response: offline, server down, name not resolved. */
export function serverUnreachable(cause: unknown): ThreadboxError {
  return new ThreadboxError({
    code: 'server.unreachable',
    kind: 'unavailable',
    message: 'The server didn’t respond.',
    remedy: 'Check the connection and try again.',
    cause,
  })
}

/** Turns a failed response into the error that the server threw. */
export async function errorOf(response: Response): Promise<ThreadboxError> {
  return errorOfBody(await response.text().catch(() => ''), response.status)
}

export function errorOfBody(text: string, status: number): ThreadboxError {
  const body = parseJson(text) as { error?: Partial<ThreadboxError> } | undefined
  const error = body?.error
  if (typeof error?.code === 'string' && typeof error.message === 'string') {
    return new ThreadboxError({
      code: error.code,
      kind: (error.kind ?? 'internal') as ErrorKind,
      message: error.message,
      remedy: error.remedy ?? '',
      details: error.details ?? {},
    })
  }
  return new ThreadboxError({
    code: 'server.answer-unknown',
    kind: status >= 500 ? 'unavailable' : 'invalid',
    message: `The server responded with status ${status} and no details.`,
    remedy: 'A proxy may have responded instead of the server. Try again.',
    details: { status },
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { type Connection, errorOfBody, type Query, serverUnreachable, type UploadBody } from './request.ts'

export type UploadOptions = {
  onProgress?: (sentBytes: number, totalBytes: number | null) => void
  signal?: AbortSignal
}

/** The used part of XMLHttpRequest, which is the only way to get the progress of an upload in a browser. */
type BrowserRequest = {
  upload: { onprogress: ((event: { loaded: number; total: number; lengthComputable: boolean }) => void) | null }
  status: number
  responseText: string
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob): void
  abort(): void
}

/** Sends raw bytes, with PUT by default. For a Blob in a browser, progress is reported while the bytes are sent. */
export function putBytes<Answer>(
  connection: Connection,
  request: {
    method?: 'PUT' | 'POST'
    path: string
    query: Query
    body: UploadBody
    headers?: Record<string, string>
  } & UploadOptions,
): Promise<Answer> {
  const makeRequest = (globalThis as { XMLHttpRequest?: new () => BrowserRequest }).XMLHttpRequest
  if (makeRequest !== undefined && request.body instanceof Blob && request.onProgress !== undefined) {
    return putWithProgress<Answer>(connection, { ...request, body: request.body, browserRequest: new makeRequest() })
  }
  const type = request.body instanceof Blob && request.body.type !== '' ? request.body.type : 'application/octet-stream'
  return connection.json<Answer>(request.method ?? 'PUT', request.path, {
    query: request.query,
    body: request.body,
    headers: { 'content-type': type, ...request.headers },
    signal: request.signal,
  })
}

function putWithProgress<Answer>(
  connection: Connection,
  request: {
    method?: 'PUT' | 'POST'
    path: string
    query: Query
    body: Blob
    headers?: Record<string, string>
    browserRequest: BrowserRequest
  } & UploadOptions,
): Promise<Answer> {
  const sending = request.browserRequest
  return new Promise<Answer>((resolve, reject) => {
    sending.open(request.method ?? 'PUT', connection.url(request.path, request.query))
    const type = request.body.type === '' ? 'application/octet-stream' : request.body.type
    const headers = { ...connection.headers, 'content-type': type, ...request.headers }
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value)
    sending.upload.onprogress = (event) =>
      request.onProgress?.(event.loaded, event.lengthComputable ? event.total : request.body.size)
    const abort = () => sending.abort()
    const settle = (end: () => void) => () => {
      request.signal?.removeEventListener('abort', abort)
      end()
    }
    sending.onload = settle(() => {
      if (sending.status >= 200 && sending.status < 300) resolve(JSON.parse(sending.responseText) as Answer)
      else reject(errorOfBody(sending.responseText, sending.status))
    })
    sending.onerror = settle(() => reject(serverUnreachable(undefined)))
    sending.onabort = settle(() => reject(request.signal?.reason ?? serverUnreachable(undefined)))
    request.signal?.addEventListener('abort', abort)
    if (request.signal?.aborted) reject(request.signal.reason)
    else sending.send(request.body)
  })
}

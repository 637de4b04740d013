import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpStatusOf, isThreadboxError, ThreadboxError, toWireError } from '@threadbox/errors'
import type { PageName } from './page-words.ts'
import { makePage } from './pages.ts'
import {
  previewAsleep,
  previewNothingHere,
  previewPrivate,
  previewSuspended,
  previewWaking,
} from './previews.errors.ts'
import { framePolicy } from './response-headers.logic.ts'

/** Header with the page’s state on every response of the preview server itself. A service’s response never has it. */
const stateHeader = 'threadbox-preview'

const pages: Record<string, PageName> = {
  [previewPrivate.code]: 'private',
  [previewSuspended.code]: 'suspended',
  [previewAsleep.code]: 'asleep',
  [previewWaking.code]: 'waking',
  [previewNothingHere.code]: 'nothing-here',
}

export type Refusal = {
  request: IncomingMessage
  error: unknown
  /** True: a page for a person; otherwise JSON, like every error of the API. */
  isPage: boolean
  appOrigin: string
}

/**
 * Responds instead of the service. Before a visitor is known, nothing in the response depends on the requested preview.
 */
export function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, body } = refusalOf(refusal)
  response.writeHead(status, headers)
  response.end(refusal.request.method === 'HEAD' ? undefined : body)
  // A client that is still sending would take a closed connection for an error of its own.
  refusal.request.resume()
}

export function answerUpgradeRefusal(socket: Duplex, refusal: Refusal): void {
  if (socket.destroyed) return
  const { status, headers, body } = refusalOf(refusal)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}${length}\r\n${body}`)
}

function refusalOf(refusal: Refusal) {
  const error = isThreadboxError(refusal.error) ? refusal.error : asThreadboxError(refusal.error)
  const state = (pages[error.code] ?? 'failed') as string
  const { retryAfterSeconds } = error.details
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    [stateHeader]: state,
    ...(typeof retryAfterSeconds === 'number' ? { 'retry-after': String(retryAfterSeconds) } : {}),
  }
  const status = httpStatusOf(error)
  if (!refusal.isPage) {
    headers['content-type'] = 'application/json'
    return { status, headers, body: JSON.stringify(toWireError(error)) }
  }
  const { html, policy } = makePage({
    page: pages[error.code] ?? 'failed',
    error,
    state,
    appOrigin: refusal.appOrigin,
    language: refusal.request.headers['accept-language'],
    ancestors: framePolicy({ appOrigin: refusal.appOrigin, isFramed: false }),
  })
  headers['content-type'] = 'text/html; charset=utf-8'
  headers['content-security-policy'] = policy
  return { status, headers, body: html }
}

/** Returns an unexpected error with the text that the whole API uses for it. */
function asThreadboxError(error: unknown): ThreadboxError {
  const { code, kind, message, remedy } = toWireError(error).error
  return new ThreadboxError({ code, kind, message, remedy, cause: error })
}

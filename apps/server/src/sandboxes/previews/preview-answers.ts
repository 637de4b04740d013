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
import { framePolicy } from './response-headers.models.ts'

/** Says on every answer of the front itself what the state of the page is; an answer of a service never has it. */
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
  /** As a page for a person; else as JSON, like every error of the API. */
  isPage: boolean
  appOrigin: string
}

/** Answers in place of the service. Before a visitor is known nothing in it depends on what was asked for. */
export function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, body } = refusalOf(refusal)
  response.writeHead(status, headers)
  response.end(refusal.request.method === 'HEAD' ? undefined : body)
  // A client that is still sending would take a closed connection for a failure of its own.
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
  const error = isThreadboxError(refusal.error) ? refusal.error : asKnown(refusal.error)
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

/** What nobody foresaw, in the words that every part of the API has for it. */
function asKnown(error: unknown): ThreadboxError {
  const { code, kind, message, remedy } = toWireError(error).error
  return new ThreadboxError({ code, kind, message, remedy, cause: error })
}

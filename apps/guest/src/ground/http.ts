import type { IncomingMessage, ServerResponse } from 'node:http'
import { defineError, httpStatusOf, isThreadboxError } from '@threadbox/errors'
import { guestErrorHeader } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'

export const bodyUnreadable = defineError<{ problem: string }>({
  code: 'guest.body-unreadable',
  kind: 'invalid',
  message: ({ problem }) => `Can’t read the request body: ${problem}`,
  remedy: () => 'Send JSON of at most 1 MiB.',
})

export const routeUnknown = defineError<{ path: string }>({
  code: 'guest.route-unknown',
  kind: 'not-found',
  message: ({ path }) => `Nothing is served at ${path}.`,
  remedy: () => 'Check the method and the path.',
})

const jsonLimitBytes = 1024 * 1024

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > jsonLimitBytes) throw bodyUnreadable({ problem: 'it is too large' })
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
  } catch (cause) {
    throw bodyUnreadable({ problem: 'it is not JSON' }, { cause })
  }
}

export function sendJson(response: ServerResponse, options: { status?: number; body: unknown }) {
  const text = JSON.stringify(options.body)
  response.writeHead(options.status ?? 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** Error responses in the form of E2B's envd: `{code: <HTTP status>, message}`. A header has the code of the error. */
export function sendError(response: ServerResponse, options: { error: unknown; logger: Logger }) {
  const { error } = options
  const status = httpStatusOf(error)
  const known = isThreadboxError(error)
  if (!known) options.logger.error({ err: error }, 'request failed unexpectedly')
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (known) response.setHeader(guestErrorHeader, error.code)
  const message = known ? error.message : 'Something failed inside the sandbox.'
  sendJson(response, { status, body: { code: status, message } })
}

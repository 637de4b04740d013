import { lookup as lookUp } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import { Agent, type Dispatcher, type RequestInit, fetch as undiciFetch } from 'undici'
import { type AllowedAddresses, isAllowedName, mayConnectTo, parseAllowedUrl } from './addresses.logic.ts'
import { connectionAddressRefused, connectionAnswerTooLarge } from './outbound.errors.ts'

const mebibyte = 1024 * 1024

/**
 * Sends requests to MCP servers and their authorization servers: only to allowed addresses, and with a limit on the
 * size of a response.
 */
export type GuardedFetch = AsyncDisposable & {
  /** `onTooLarge` is called when a body is aborted at the limit: its reader may only see a broken stream. */
  fetchFor(options: { onTooLarge(error: Error): void }): FetchLike
}

export function makeGuardedFetch(options: {
  allowed: AllowedAddresses
  /** Limit of a response body; of a stream, of all its events together. */
  maxAnswerMebibytes: number
  connectTimeoutMs: number
  /** Longest wait for the headers of a response. */
  headersTimeoutMs: number
  /** Resolves a name to addresses. */
  lookUp?: typeof lookUp
}): GuardedFetch {
  const { allowed, maxAnswerMebibytes } = options
  const dispatcher = new Agent({
    connect: { timeout: options.connectTimeoutMs, lookup: guardedLookup(allowed, options.lookUp ?? lookUp) },
    headersTimeout: options.headersTimeoutMs,
    // An open event stream can be silent for long. Callers that wait for a response set a deadline of their own.
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
  })
  return {
    fetchFor:
      ({ onTooLarge }) =>
      async (input, init) => {
        // The only check of a URL with an IP address: a socket does not look up an address.
        const url = parseAllowedUrl(String(input), allowed)
        const request: RequestInit = {
          ...(init as unknown as RequestInit),
          // A redirect isn't followed: the caller sends a new request, whose URL is checked like any other.
          redirect: 'manual',
          dispatcher: dispatcher as Dispatcher,
        }
        const response = (await undiciFetch(url, request)) as unknown as Response
        return withLimitedBody(response, { maxMebibytes: maxAnswerMebibytes, onTooLarge })
      },
    [Symbol.asyncDispose]: async () => await dispatcher.destroy(),
  }
}

/**
 * Resolves a name. Refuses it when any of its addresses is forbidden, unless the administrator allowed the name itself:
 * then its addresses are not checked. The socket connects to the addresses returned here, so another resolution of the
 * name (DNS rebinding) has no effect.
 */
export function guardedLookup(allowed: AllowedAddresses, resolve: typeof lookUp): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const isRefused =
        !isAllowedName(hostname, allowed) && addresses.some(({ address }) => !mayConnectTo(address, allowed))
      if (isRefused) return callback(connectionAddressRefused({ host: hostname }) as NodeJS.ErrnoException, [])
      if (options.all === true) return callback(null, addresses)
      const [first] = addresses
      if (first === undefined) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
      callback(null, first.address, first.family)
    })
  }
}

/** Returns the response with a body that fails beyond `maxMebibytes`. */
function withLimitedBody(
  response: Response,
  options: { maxMebibytes: number; onTooLarge(error: Error): void },
): Response {
  if (response.body === null) return response
  let seenBytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        seenBytes += chunk.byteLength
        if (seenBytes <= options.maxMebibytes * mebibyte) return controller.enqueue(chunk)
        const error = connectionAnswerTooLarge({ mebibytes: options.maxMebibytes })
        options.onTooLarge(error)
        controller.error(error)
      },
    }),
  )
  const { status, statusText, headers } = response
  const limited = new Response(counted, { status, statusText, headers: new Headers([...headers]) })
  Object.defineProperty(limited, 'url', { value: response.url })
  return limited
}

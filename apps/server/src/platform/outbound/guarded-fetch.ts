import { lookup as lookUp } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import { Agent, type Dispatcher, type RequestInit, fetch as undiciFetch } from 'undici'
import { type AllowedAddresses, checkedUrl, isAllowedName, mayConnectTo } from './addresses.logic.ts'
import { connectionAddressRefused, connectionAnswerTooLarge } from './outbound.errors.ts'

const mebibyte = 1024 * 1024

/** Sends requests to the servers of connections: only to allowed addresses, and with limited responses. */
export type GuardedFetch = AsyncDisposable & {
  /** `onTooLarge` is called when a response is cut, because a reader of the body may only see a broken stream. */
  fetchFor(options: { onTooLarge(error: Error): void }): FetchLike
}

export function makeGuardedFetch(options: {
  allowed: AllowedAddresses
  maxAnswerMebibytes: number
  connectTimeoutMs: number
  silenceMs: number
  /** Resolves a name to addresses. */
  lookUp?: typeof lookUp
}): GuardedFetch {
  const { allowed, maxAnswerMebibytes } = options
  const dispatcher = new Agent({
    connect: { timeout: options.connectTimeoutMs, lookup: guardedLookup(allowed, options.lookUp ?? lookUp) },
    headersTimeout: options.silenceMs,
    // An open stream can be silent for long; each request has its own deadline.
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
  })
  return {
    fetchFor:
      ({ onTooLarge }) =>
      async (input, init) => {
        const url = checkedUrl(String(input), allowed)
        const request: RequestInit = {
          ...(init as unknown as RequestInit),
          // A redirect isn't followed: the caller sends a new request, whose URL is checked like any other.
          redirect: 'manual',
          dispatcher: dispatcher as Dispatcher,
        }
        const response = (await undiciFetch(url, request)) as unknown as Response
        return bounded(response, { maxBytes: maxAnswerMebibytes * mebibyte, mebibytes: maxAnswerMebibytes, onTooLarge })
      },
    [Symbol.asyncDispose]: async () => await dispatcher.destroy(),
  }
}

/**
 * Resolves a name and refuses it when any of its addresses is forbidden. The socket connects to the checked addresses,
 * so a later change of the name has no effect.
 */
export function guardedLookup(allowed: AllowedAddresses, ask: typeof lookUp): LookupFunction {
  return (hostname, options, callback) => {
    ask(hostname, { ...options, all: true }, (error, addresses) => {
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

function bounded(
  response: Response,
  options: { maxBytes: number; mebibytes: number; onTooLarge(error: Error): void },
): Response {
  if (response.body === null) return response
  let seen = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        seen += chunk.byteLength
        if (seen <= options.maxBytes) return controller.enqueue(chunk)
        const error = connectionAnswerTooLarge({ mebibytes: options.mebibytes })
        options.onTooLarge(error)
        controller.error(error)
      },
    }),
  )
  const { status, statusText, headers } = response
  const answer = new Response(counted, { status, statusText, headers: new Headers([...headers]) })
  Object.defineProperty(answer, 'url', { value: response.url })
  return answer
}

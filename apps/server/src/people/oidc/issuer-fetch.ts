import type { CustomFetch } from 'openid-client'
import { type AllowedAddresses, allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { type GuardedFetch, makeGuardedFetch } from '../../platform/outbound/guarded-fetch.ts'

export type IssuerFetch = CustomFetch

const maxAnswerMebibytes = 1
const connectTimeoutMs = 10_000

/** One request to an issuer: only to allowed addresses, with a limit on size and time, the body included. */
export function makeIssuerFetch(options: { allowed: string; timeoutMs: number }): {
  fetch: IssuerFetch
  guard: GuardedFetch
} {
  const allowed: AllowedAddresses = allowedAddressesOf(options.allowed)
  const { timeoutMs } = options
  const guard = makeGuardedFetch({
    allowed,
    maxAnswerMebibytes,
    connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
    headersTimeoutMs: timeoutMs,
  })
  const guarded = guard.fetchFor({ onTooLarge: () => undefined })
  const fetch: IssuerFetch = async (url, { body, headers, method, signal }) => {
    const limit = AbortSignal.timeout(timeoutMs)
    const response = await guarded(url, {
      body: (body ?? null) as string | URLSearchParams | null,
      headers,
      method,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const { status, statusText } = response
    const bytes = await response.arrayBuffer()
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : bytes, { status, statusText, headers: response.headers })
  }
  return { fetch, guard }
}

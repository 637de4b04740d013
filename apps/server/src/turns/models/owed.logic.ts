import { AnswerCutError } from './model-call.ts'

/**
 * What a provider charges for a request that failed. `nothing`: it did not process it. `arrived`: the request, and what
 * was received of the response. `everything`: the response was lost on the way, and may be complete at the provider.
 */
export type Owed = 'nothing' | 'arrived' | 'everything'

/** Codes of connections that were never established. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Limit of causes. */
const maxLinks = 12

export function owedAfter(
  error: unknown,
  { isStopped, hasReceived }: { isStopped: boolean; hasReceived: boolean },
): Owed {
  if (isStopped) return 'arrived'
  if (error instanceof AnswerCutError) return 'everything'
  const links = causesOf(error)
  if (links.some(({ code }) => typeof code === 'string' && notSent.has(code))) return 'nothing'
  if (links.some(({ statusCode }) => typeof statusCode === 'number' && statusCode >= 400)) return 'nothing'
  // What a provider reports within the stream is not an `Error`; what breaks the connection is.
  const isReported = !(error instanceof Error)
  if (isReported) return hasReceived ? 'arrived' : 'nothing'
  return 'everything'
}

function causesOf(error: unknown): Record<string, unknown>[] {
  const links: Record<string, unknown>[] = []
  let link: unknown = error
  while (typeof link === 'object' && link !== null && links.length < maxLinks) {
    const known = link as Record<string, unknown>
    links.push(known)
    link = known.cause ?? known.lastError
  }
  return links
}

import { secretResponseUnreadable } from './broker.errors.ts'
import { type HeaderPair, pairsOf } from './request-head.logic.ts'
import { type PreparedReplacements, StreamReplacer } from './stream-replacer.logic.ts'

/** About one connection, or another protocol that would lead around the broker. */
const droppedHeaders = new Set([
  'alt-svc',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Texts without lengths of their own parts. */
const textTypes = /^(text\/|application\/([\w.-]+\+)?(json|xml|javascript)\b|application\/x-ndjson\b)/i

const encodings = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'] as const
/** An encoding that a host used although it was asked for none, and that can be undone. */
export type ContentEncoding = (typeof encodings)[number]

export type ResponseHead = {
  headers: HeaderPair[]
  encoding: ContentEncoding | undefined
  /** The length of the body is announced, or could be a part of it (as in gRPC), and must stay true. */
  keepsLength: boolean
}

/**
 * The headers of a response as the sandbox gets them: without values, and without an encoding, which is undone. Throws if
 * the body can’t be searched. `isEmpty`: the response has no body, as for HEAD.
 */
export function headForSandbox(
  rawHeaders: readonly string[],
  { echo, host, isEmpty }: { echo: PreparedReplacements; host: string; isEmpty: boolean },
): ResponseHead {
  const all = pairsOf(rawHeaders).filter(([name]) => !name.startsWith(':'))
  const listed = (header: string) =>
    all
      .flatMap(([name, value]) => (name === header ? value.toLowerCase().split(',') : []))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  const dropped = new Set(listed('connection'))
  const transfer = listed('transfer-encoding').filter((encoding) => encoding !== 'chunked')
  if (transfer.length > 0) throw secretResponseUnreadable({ host, encoding: transfer.join(', ').slice(0, 100) })
  const stated = listed('content-encoding').filter((encoding) => encoding !== 'identity')
  const encoding = isEmpty ? undefined : encodings.find((known) => known === stated[0])
  if (!isEmpty && stated.length > 0 && (encoding === undefined || stated.length > 1)) {
    throw secretResponseUnreadable({ host, encoding: stated.join(', ').slice(0, 100) })
  }
  const isKept = ([name]: HeaderPair) =>
    !droppedHeaders.has(name) &&
    !dropped.has(name) &&
    (encoding === undefined || (name !== 'content-encoding' && name !== 'content-length'))
  const headers = withoutValues(all.filter(isKept), echo)
  const isAnnounced = headers.some(([name]) => name === 'content-length')
  const isText = textTypes.test(all.find(([name]) => name === 'content-type')?.[1] ?? '')
  return { headers, encoding, keepsLength: isAnnounced || !isText }
}

/** Trailers as the sandbox gets them. */
export function trailersForSandbox(rawTrailers: readonly string[], echo: PreparedReplacements): HeaderPair[] {
  const isTrailer = ([name]: HeaderPair) =>
    !name.startsWith(':') && !droppedHeaders.has(name) && name !== 'content-length'
  return withoutValues(pairsOf(rawTrailers).filter(isTrailer), echo)
}

function withoutValues(pairs: HeaderPair[], echo: PreparedReplacements): HeaderPair[] {
  if (echo.length === 0) return pairs
  const finds = echo.map(({ find }) => find.toString('latin1'))
  const hasValue = (text: string) => finds.some((find) => text.includes(find))
  // A name can’t have every placeholder, so a header with a value as its name is dropped.
  const kept = pairs.filter(([name]) => !finds.some((find) => name.includes(find.toLowerCase())))
  return kept.map(([name, value]) => [name, hasValue(value) ? replaceIn(value, echo) : value])
}

function replaceIn(text: string, echo: PreparedReplacements): string {
  const replacer = new StreamReplacer(echo)
  return Buffer.concat([...replacer.push(Buffer.from(text, 'latin1')), ...replacer.end()]).toString('latin1')
}

import type { RefusalReason } from '@threadbox/protocol/egress'

/** What follows the head of a request. `websocket`: the server decides whether HTTP continues. */
export type RequestBody = { kind: 'counted'; bytes: number } | { kind: 'chunked' } | { kind: 'websocket' }

/**
 * Reads the head of a request, to the empty line, and checks that it is for `name` at `port`. Stricter than servers are:
 * a head that two readers could understand differently is refused, because one of them could see another host.
 */
export function checkRequestHead(
  head: Buffer,
  target: { name: string; port: number },
): { body: RequestBody } | { refused: RefusalReason } {
  const [requestLine = '', ...lines] = head.toString('latin1').slice(0, -4).split('\r\n')
  const parts = /^([A-Z][A-Z_-]{0,23}) ([\x21-\x7e]+) HTTP\/1\.([01])$/.exec(requestLine)
  const headers = headersIn(lines)
  if (parts === null || headers === undefined) return { refused: 'http-invalid' }
  const [, method = '', requestTarget = '', minor = ''] = parts
  // A tunnel leads to whatever it names.
  if (method === 'CONNECT') return { refused: 'http-invalid' }
  const isOriginForm = requestTarget.startsWith('/') || requestTarget === '*'
  const authority = /^http:\/\/([^/?#]*)/i.exec(requestTarget)?.[1]
  if (!isOriginForm && authority === undefined) return { refused: 'http-invalid' }
  const hosts = headers.get('host') ?? []
  if (hosts.length === 0) return { refused: 'host-missing' }
  if (hosts.length > 1) return { refused: 'http-invalid' }
  const named = authority === undefined ? hosts : [...hosts, authority]
  if (!named.every((host) => isHostOf(host, target))) return { refused: 'host-wrong' }
  const body = bodyOf(headers, { isOld: minor === '0' })
  if (body === undefined) return { refused: 'http-invalid' }
  const isWebSocket = (headers.get('upgrade') ?? []).some((value) => value.toLowerCase() === 'websocket')
  if (isWebSocket && body.kind === 'counted' && body.bytes === 0) return { body: { kind: 'websocket' } }
  return { body }
}

/** The values of each header, by its name in lower case. Undefined: not in the form of RFC 9112, without folded lines. */
export function headersIn(lines: readonly string[]): Map<string, string[]> | undefined {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const parts = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line)
    if (parts === null) return undefined
    const [, name = '', value = ''] = parts
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value.replace(/[ \t]+$/, '')])
  }
  return headers
}

/** How long the body is. Undefined: stated more than once, or in a way that not every server reads. */
function bodyOf(headers: Map<string, string[]>, { isOld }: { isOld: boolean }): RequestBody | undefined {
  const lengths = headers.get('content-length') ?? []
  const encodings = headers.get('transfer-encoding') ?? []
  if (encodings.length > 0) {
    const isChunked = encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked'
    return isChunked && lengths.length === 0 && !isOld ? { kind: 'chunked' } : undefined
  }
  if (lengths.length === 0) return { kind: 'counted', bytes: 0 }
  const [length = ''] = lengths
  return lengths.length === 1 && /^\d{1,15}$/.test(length) ? { kind: 'counted', bytes: Number(length) } : undefined
}

function isHostOf(text: string, { name, port }: { name: string; port: number }): boolean {
  const host = text.toLowerCase()
  const withoutPort = host.endsWith(`:${port}`) ? host.slice(0, -`:${port}`.length) : host
  return withoutPort === name || withoutPort === `${name}.`
}

import { secretRequestRefused, secretWrongHost } from './broker.errors.ts'
import { hostOf, isHostOf, type Target } from './target.logic.ts'

export type HeaderPair = [name: string, value: string]

/** A request whose meaning is certain. Header names are in lower case, values one character per byte. */
export type RequestHead = {
  method: string
  /** Path and query. */
  path: string
  headers: HeaderPair[]
  /** Bytes, 'unknown' until it ends, or none. */
  body: number | 'unknown' | 'none'
  expectsContinue: boolean
}

/** About one connection, or written by the broker; of encodings, only identity can be searched. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'grpc-accept-encoding',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Of a method or a header’s name (RFC 9110, 5.6.2). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** They make the host repeat the request, or end HTTP. */
const refusedMethods = new Set(['TRACE', 'TRACK', 'CONNECT'])

/** Reads the head of an HTTP/1 request as Node’s parser returns it. Throws unless each server would read it the same. */
export function readHttp1Head(
  request: { method: string; url: string; httpVersion: string; rawHeaders: readonly string[] },
  target: Target,
): RequestHead {
  const refuse = (reason: string) => secretRequestRefused({ host: hostOf(target), reason })
  const all = pairsOf(request.rawHeaders)
  const valuesOf = (name: string) => all.filter(([known]) => known === name).map(([, value]) => value)
  checkFields(all, target)
  const hosts = valuesOf('host')
  if (hosts.length !== 1) throw refuse(`it has ${hosts.length} Host headers`)
  checkHost(hosts[0] ?? '', target)
  const encodings = valuesOf('transfer-encoding')
  const lengths = valuesOf('content-length')
  if (encodings.length > 1 || (encodings[0] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw refuse('it has a transfer encoding other than “chunked”')
  }
  if (encodings.length > 0 && lengths.length > 0) throw refuse('it has a length and a transfer encoding')
  if (encodings.length > 0 && request.httpVersion === '1.0') throw refuse('HTTP/1.0 has no transfer encodings')
  const named = valuesOf('connection')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  return {
    method: methodOf(request.method, target),
    path: pathOf(request.url, target),
    headers: all.filter(([name]) => !ownHeaders.has(name) && !named.includes(name)),
    body: encodings.length > 0 ? 'unknown' : lengthOf(lengths, target),
    expectsContinue: expectation(valuesOf('expect'), target),
  }
}

/** Reads the head of an HTTP/2 request; `hasBody`: its stream doesn’t end with the head. */
export function readHttp2Head(
  request: { rawHeaders: readonly string[]; hasBody: boolean },
  target: Target,
): RequestHead {
  const refuse = (reason: string) => secretRequestRefused({ host: hostOf(target), reason })
  const all = pairsOf(request.rawHeaders)
  const valuesOf = (name: string) => all.filter(([known]) => known === name).map(([, value]) => value)
  const one = (name: string) => {
    const [value, ...more] = valuesOf(name)
    if (value === undefined || more.length > 0) throw refuse(`it has no or several ${name}`)
    return value
  }
  checkFields(
    all.filter(([name]) => !name.startsWith(':')),
    target,
  )
  const hosts = [...valuesOf(':authority'), ...valuesOf('host')]
  if (hosts.length === 0 || valuesOf(':authority').length > 1 || valuesOf('host').length > 1) {
    throw refuse('it has no or several hosts')
  }
  for (const host of hosts) checkHost(host, target)
  const method = methodOf(one(':method'), target)
  if (one(':scheme') !== 'https') throw refuse('its scheme is not https')
  if (valuesOf(':protocol').length > 0) throw refuse('it is a CONNECT request')
  const path = pathOf(one(':path'), target)
  const length = lengthOf(valuesOf('content-length'), target)
  const te = valuesOf('te').includes('trailers') ? [['te', 'trailers'] as HeaderPair] : []
  return {
    method,
    path,
    headers: [...all.filter(([name]) => !name.startsWith(':') && !ownHeaders.has(name)), ...te],
    body: request.hasBody ? (length === 'none' ? 'unknown' : length) : 'none',
    expectsContinue: expectation(valuesOf('expect'), target),
  }
}

function checkFields(pairs: readonly HeaderPair[], target: Target): void {
  if (pairs.every(([name, value]) => token.test(name) && !/[\0\r\n]/.test(value))) return
  throw secretRequestRefused({ host: hostOf(target), reason: 'it has a header that is not one' })
}

function checkHost(asked: string, target: Target): void {
  if (!isHostOf(target, asked)) throw secretWrongHost({ host: hostOf(target), asked: asked.slice(0, 255) })
}

function methodOf(method: string, target: Target): string {
  if (refusedMethods.has(method.toUpperCase()) || !token.test(method) || method.length > 64) {
    throw secretRequestRefused({ host: hostOf(target), reason: `its method is ${JSON.stringify(method.slice(0, 64))}` })
  }
  return method
}

function pathOf(url: string, target: Target): string {
  if (url === '*') return url
  const absolute = /^https:\/\/([^/?#]*)(\/.*)?$/i.exec(url)
  if (absolute !== null) checkHost(absolute[1] ?? '', target)
  const path = absolute === null ? url : (absolute[2] ?? '/')
  if (!/^\/[\x21-\x22\x24-\x7e]*$/.test(path)) {
    throw secretRequestRefused({ host: hostOf(target), reason: 'its path is not a plain one' })
  }
  return path
}

function lengthOf(lengths: readonly string[], target: Target): number | 'none' {
  const [length, ...more] = lengths
  if (length === undefined) return 'none'
  if (more.length > 0 || !/^\d{1,15}$/.test(length)) {
    throw secretRequestRefused({ host: hostOf(target), reason: 'its length is not one number' })
  }
  return Number(length)
}

function expectation(values: readonly string[], target: Target): boolean {
  if (values.length === 0) return false
  if (values.length === 1 && values[0]?.toLowerCase() === '100-continue') return true
  throw secretRequestRefused({ host: hostOf(target), reason: 'it has an unknown expectation' })
}

/** Names and values in turns, as pairs; names in lower case. */
export function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([(rawHeaders[index] ?? '').toLowerCase(), rawHeaders[index + 1] ?? ''])
  }
  return pairs
}

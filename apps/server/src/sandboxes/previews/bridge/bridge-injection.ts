import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { type HeaderPair, pairsOf } from '../header-pairs.logic.ts'
import type { BridgeFiles } from './bridge-files.ts'
import { makeHeadScanner } from './head-scanner.logic.ts'
import { ignoresAddresses, withScripts } from './script-policy.logic.ts'

/** A service’s response with the bridge in it: its headers, and the transforms that its body goes through. */
export type ChangedResponse = { rawHeaders: readonly string[]; through: readonly Transform[] }

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** Headers that describe the bytes which the service sent. */
const ofOtherBytes = /^(content-length|content-encoding|content-md5|digest|content-digest|repr-digest|accept-ranges)$/
const isPolicy = (name: string) => name.toLowerCase() === 'content-security-policy'

/**
 * True if the response is for a frame, from which the app can use the bridge. Where browsers do not say so (plain HTTP
 * under a domain), every page counts; in a page outside of a frame the bridge stays unused.
 */
export function wantsBridge(method: string, headers: IncomingHttpHeaders, isPage: boolean): boolean {
  const target = headers['sec-fetch-dest']
  return isPage && method !== 'HEAD' && (target === undefined || target === 'iframe')
}

/**
 * The headers of a request whose response is read here: they ask for an uncompressed body, which a service can ignore.
 */
export function askedUnpacked(headers: readonly string[]): string[] {
  const kept = pairsOf(headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding')
  return [...kept, ['accept-encoding', 'identity'] satisfies HeaderPair].flat()
}

/** Puts the bridge into a complete HTML page; other responses stay unchanged. The body is streamed. */
export function withBridge(
  incoming: Pick<IncomingMessage, 'statusCode' | 'headers' | 'rawHeaders'>,
  { files, origin, appOrigin }: { files: BridgeFiles; origin: string; appOrigin: string },
): ChangedResponse {
  const pairs = pairsOf(incoming.rawHeaders)
  const isInline = pairs.some(([name, value]) => isPolicy(name) && ignoresAddresses(value))
  const inlineHash = isInline ? files.inlineHash : undefined
  const changePolicy = (policy: string) =>
    withScripts(policy, { urls: files.paths.map((path) => origin + path), inlineHash })
  const withPolicies = pairs.map(
    ([name, value]): HeaderPair => (isPolicy(name) ? [name, changePolicy(value)] : [name, value]),
  )
  // The policy of a page in the browser’s cache is the one that came last with it.
  if (incoming.statusCode === 304) return { rawHeaders: withPolicies.flat(), through: [] }
  const decoder = decoderOf(incoming.headers['content-encoding'])
  if (!isWholePage(incoming) || decoder === undefined) return { rawHeaders: incoming.rawHeaders, through: [] }
  const rawHeaders = [
    ...withPolicies.filter(([name]) => !ofOtherBytes.test(name.toLowerCase())).flat(),
    ...['vary', 'sec-fetch-dest'],
  ]
  const scanner = makeHeadScanner({ insertion: files.tag({ appOrigin, isInline }), changePolicy })
  return { rawHeaders, through: [...decoder, scanning(scanner)] }
}

function isWholePage({ statusCode = 0, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const isReadable = !parameters.some((parameter) => /charset\s*=\s*"?(utf-?(16|32|7)|ucs)/.test(parameter))
  const isDownload = /^\s*attachment/i.test(headers['content-disposition'] ?? '')
  const isWhole = headers['content-range'] === undefined && ![204, 205, 206].includes(statusCode)
  return type.trim() === 'text/html' && isReadable && !isDownload && isWhole
}

/** Transforms that decompress a body, in the order of use; undefined if it cannot be decompressed here. */
function decoderOf(encoding: string | undefined): Transform[] | undefined {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return []
  return Object.hasOwn(decoders, name) ? [decoders[name as keyof typeof decoders]()] : undefined
}

function scanning(scanner: ReturnType<typeof makeHeadScanner>): Transform {
  const give = (text: string, done: TransformCallback) =>
    done(null, text === '' ? undefined : Buffer.from(text, 'latin1'))
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => give(scanner.push(chunk.toString('latin1')), done),
    flush: (done) => give(scanner.end(), done),
  })
}

import { headersIn } from './http-head.logic.ts'

/** Where a body of chunks ends (RFC 9112, 7.1). Forms that servers read differently are invalid. */
export type ChunkedBody = {
  /** How many of the bytes belong to the body. Takes nothing after its end. */
  take(bytes: Buffer): { used: number; state: 'open' | 'ended' | 'invalid' }
}

const maxLineBytes = 256
const maxTrailerBytes = 8 * 1024
/** Fields that a head has to have, because a server that reads them from a trailer sees another request. */
const notInTrailers = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade']

export function makeChunkedBody(): ChunkedBody {
  let line = ''
  let left = 0
  let part: 'size' | 'data' | 'after-data' | 'trailer' = 'size'
  let trailerBytes = 0
  let result: 'open' | 'ended' | 'invalid' = 'open'
  const lineEnded = () => {
    const text = line
    line = ''
    if (part === 'size') {
      // Spaces around the size, which some servers skip, are invalid.
      const size = /^([0-9a-f]{1,12})(?:;[\t\x20-\x7e]*)?$/i.exec(text)?.[1]
      if (size === undefined) return 'invalid'
      left = Number.parseInt(size, 16)
      part = left === 0 ? 'trailer' : 'data'
      return 'open'
    }
    if (part === 'after-data') {
      part = 'size'
      return text === '' ? 'open' : 'invalid'
    }
    if (text === '') return 'ended'
    const field = headersIn([text])
    return field === undefined || notInTrailers.some((name) => field.has(name)) ? 'invalid' : 'open'
  }
  const takeByte = (byte: number): 'open' | 'ended' | 'invalid' => {
    if (part === 'trailer' && ++trailerBytes > maxTrailerBytes) return 'invalid'
    const isAfterReturn = line.endsWith('\r')
    if (byte === 0x0a) {
      if (!isAfterReturn) return 'invalid'
      line = line.slice(0, -1)
      return lineEnded()
    }
    const limit = part === 'after-data' ? 1 : part === 'trailer' ? maxTrailerBytes : maxLineBytes
    if (isAfterReturn || line.length >= limit) return 'invalid'
    line += String.fromCharCode(byte)
    return 'open'
  }
  return {
    take: (bytes) => {
      let at = 0
      while (at < bytes.length && result === 'open') {
        if (part === 'data') {
          const length = Math.min(left, bytes.length - at)
          left -= length
          at += length
          if (left === 0) part = 'after-data'
        } else {
          result = takeByte(bytes[at] as number)
          at += 1
        }
      }
      return { used: at, state: result }
    },
  }
}

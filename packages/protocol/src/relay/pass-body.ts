import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished, pipeline } from 'node:stream/promises'
import { canReceiveFrom, receiveFrom } from './relay-sockets.ts'

/** Relaying a body costs the connection that it arrives on: passing this much takes longer than a new connection. */
const largeBytes = 4 * 1024 * 1024
const pieceBytes = 256 * 1024

type Passing = { incoming: IncomingMessage; response: ServerResponse; signal?: AbortSignal }

/**
 * Passes on the body of a response whose head was written, each byte as it arrives. A slow reader slows down the
 * writer. Destroys both sides and rejects if either ends early or the signal aborts.
 */
export async function passBody(passing: Passing): Promise<void> {
  const { incoming, response, signal } = passing
  const socket = socketForRelay(passing)
  if (socket === undefined) await pipeline([incoming, response], signal === undefined ? {} : { signal })
  else await relay(passing, socket)
}

/** Returns the socket to write to if the body is large and its length is known, so that it needs no parser. */
function socketForRelay({ incoming, response }: Passing): Socket | undefined {
  const { headers, statusCode = 0 } = incoming
  const length = Number(headers['content-length'] ?? 0)
  const hasBody = response.req.method !== 'HEAD' && ![204, 304].includes(statusCode)
  const isLarge = hasBody && length >= largeBytes && headers['transfer-encoding'] === undefined
  if (!isLarge || incoming.complete || incoming.destroyed || !canReceiveFrom(incoming.socket)) return undefined
  // A response without a socket waits for the response to an earlier request of its connection.
  return response.socket !== null && !response.chunkedEncoding ? response.socket : undefined
}

/**
 * Moves the body from socket to socket through reused memory. Node’s parser and streams would allocate and copy each 64
 * KiB several times.
 */
async function relay({ incoming, response, signal }: Passing, socket: Socket): Promise<void> {
  const source = incoming.socket
  let left = Number(incoming.headers['content-length'])
  let memory: Buffer = Buffer.allocUnsafeSlow(pieceBytes)
  const spare: Buffer[] = []
  /** Memory that the kernel has not sent completely yet. */
  const sending: Buffer[] = []
  const written = () => {
    if (sending.length === 0 || socket.writableLength > 0) return
    spare.push(...sending.splice(0))
    if (left > 0) source.resume()
  }
  const receive = (bytes: Uint8Array): boolean => {
    // A service can send more than it announced. The rest must not become part of another response.
    const part = bytes.subarray(0, left)
    left -= part.length
    socket.write(part, written)
    if (socket.writableLength > 0) {
      sending.push(memory)
      memory = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
    }
    if (left === 0) {
      response.end()
      incoming.destroy()
    }
    return left > 0 && sending.length === 0
  }
  let failure: unknown
  incoming.once('error', (error) => {
    if (left === 0) return
    failure = error
    response.destroy()
  })
  receiveFrom(source, { buffer: () => memory, receive })
  // The parser has the bytes that arrived together with the head, and emits them before the next read.
  incoming.on('data', receive)
  try {
    await finished(response, signal === undefined ? {} : { signal })
  } catch (error) {
    response.destroy()
    throw failure ?? error
  } finally {
    incoming.destroy()
  }
}

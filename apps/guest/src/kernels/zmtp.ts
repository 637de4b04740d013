import { createConnection, type Socket } from 'node:net'

/** A ZeroMQ message: its frames. */
export type ZmtpMessage = Buffer[]

export type ZmtpSocket = {
  send(message: ZmtpMessage): void
  close(): void
}

const moreFlag = 0x01
const longFlag = 0x02
const commandFlag = 0x04
const greetingLength = 64

/**
 * The client side of ZMTP 3.0 (rfc.zeromq.org/spec/23) with the NULL mechanism over a Unix socket: what talking to a
 * Jupyter kernel takes. Rejects without a listener at `path`, and when `signal` aborts before the handshake is over. A
 * broken connection is reported by `onClose` and not reopened: the kernel behind it is gone.
 */
export function connectZmtp(options: {
  path: string
  type: 'DEALER' | 'SUB'
  signal: AbortSignal
  onMessage(message: ZmtpMessage): void
  onClose(): void
}): Promise<ZmtpSocket> {
  const { signal } = options
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = createConnection({ path: options.path })
    const abort = () => socket.destroy(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const parse = makeZmtpParser({
      onMessage: options.onMessage,
      onReady: () => {
        signal.removeEventListener('abort', abort)
        if (options.type === 'SUB') socket.write(encodeFrames([Buffer.from([1])]))
        resolve({ send: (message) => void socket.write(encodeFrames(message)), close: () => socket.destroy() })
      },
    })
    socket.once('connect', () => greet(socket, options.type))
    socket.once('error', reject)
    socket.once('close', () => {
      signal.removeEventListener('abort', abort)
      reject(new Error('closed before the handshake'))
      options.onClose()
    })
    socket.on('data', parse)
  })
}

function greet(socket: Socket, type: string) {
  const greeting = Buffer.alloc(greetingLength)
  greeting[0] = 0xff
  greeting[9] = 0x7f
  greeting[10] = 3
  greeting.write('NULL', 12, 'ascii')
  socket.write(greeting)
  const value = Buffer.from(type)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(value.length)
  const ready = Buffer.concat([text('READY'), text('Socket-Type'), length, value])
  socket.write(Buffer.concat([Buffer.from([commandFlag, ready.length]), ready]))
}

/** A text with its length in one byte before it. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'ascii')])
}

export function encodeFrames(frames: ZmtpMessage): Buffer {
  return Buffer.concat(
    frames.flatMap((frame, index) => {
      const more = index < frames.length - 1 ? moreFlag : 0
      if (frame.length < 256) return [Buffer.from([more, frame.length]), frame]
      const header = Buffer.alloc(9)
      header[0] = more | longFlag
      header.writeBigUInt64BE(BigInt(frame.length), 1)
      return [header, frame]
    }),
  )
}

/** Cuts the stream into frames. Pieces are joined only once a frame is complete, so large frames cost no copies. */
export function makeZmtpParser(handlers: { onMessage(message: ZmtpMessage): void; onReady(): void }) {
  let pieces: Buffer[] = []
  let held = 0
  let needed = greetingLength
  let greeted = false
  let frames: ZmtpMessage = []

  const take = (data: Buffer): number => {
    if (!greeted) {
      greeted = true
      return greetingLength
    }
    const frame = readFrame(data)
    if (frame.body === undefined) {
      needed = frame.needed
      return 0
    }
    if ((frame.flags & commandFlag) !== 0) {
      if (frame.body.toString('latin1', 1, 6) === 'READY') handlers.onReady()
    } else {
      frames.push(frame.body)
      if ((frame.flags & moreFlag) === 0) {
        const message = frames
        frames = []
        handlers.onMessage(message)
      }
    }
    return frame.needed
  }
  return (chunk: Buffer) => {
    pieces.push(chunk)
    held += chunk.length
    if (held < needed) return
    let data = pieces.length === 1 ? chunk : Buffer.concat(pieces)
    needed = greeted ? 2 : greetingLength
    while (data.length >= needed) {
      const size = take(data)
      if (size === 0) break
      data = data.subarray(size)
      needed = 2
    }
    pieces = data.length === 0 ? [] : [data]
    held = data.length
  }
}

/** The frame at the start of `data`; without a body if more bytes (`needed` in total) must arrive first. */
function readFrame(data: Buffer): { flags: number; needed: number; body?: Buffer } {
  const flags = data[0] ?? 0
  const isLong = (flags & longFlag) !== 0
  const headerLength = isLong ? 9 : 2
  if (data.length < headerLength) return { flags, needed: headerLength }
  const length = isLong ? Number(data.readBigUInt64BE(1)) : (data[1] ?? 0)
  const needed = headerLength + length
  return data.length < needed ? { flags, needed } : { flags, needed, body: data.subarray(headerLength, needed) }
}

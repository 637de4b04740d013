import { readSync } from 'node:fs'
import { Socket } from 'node:net'

/** Reads a pipe as data comes. `pause` makes the writing program wait once the pipe is full. */
export type PipeReader = {
  pause(): void
  resume(): void
  /** Reads everything that is already in the pipe, up to `limit` bytes. Returns false if the limit stopped it. */
  drain(limit: number): boolean
  close(): void
}

/** `onEnd` is called once, when no program has the pipe open for writing, or when it was closed. */
export function readPipe(options: { descriptor: number; onData(chunk: Buffer): void; onEnd(): void }): PipeReader {
  const socket = new Socket({ fd: options.descriptor, readable: true, writable: false })
  socket.on('data', options.onData)
  socket.on('error', () => socket.destroy())
  socket.on('close', options.onEnd)
  return {
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    drain: (limit) => {
      const buffered = socket.read() as Buffer | null
      if (buffered !== null) options.onData(buffered)
      // From here on the descriptor's number can refer to another file.
      return socket.destroyed || drainDescriptor({ ...options, limit })
    },
    close: () => void socket.destroy(),
  }
}

function drainDescriptor(options: { descriptor: number; limit: number; onData(chunk: Buffer): void }): boolean {
  for (let taken = 0; taken < options.limit; ) {
    const chunk = Buffer.allocUnsafe(65_536)
    try {
      const size = readSync(options.descriptor, chunk)
      if (size === 0) return true
      options.onData(chunk.subarray(0, size))
      taken += size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return true
      throw error
    }
  }
  return false
}

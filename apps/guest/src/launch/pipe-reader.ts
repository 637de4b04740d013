import { readSync } from 'node:fs'
import { Socket } from 'node:net'
import type { OutputPace } from './output-pace.ts'

/** Reads a pipe as data comes. `pause` makes the writing program wait once the pipe is full. */
export type PipeReader = {
  pause(): void
  resume(): void
  /** Reads everything that is already in the pipe, up to `limit` bytes. Returns false if the limit stopped it. */
  drain(limit: number): boolean
  close(): void
}

type PipeOptions = {
  descriptor: number
  onData(chunk: Buffer): void
  onEnd(): void
  /** Absent: as fast as it comes. */
  pace?: OutputPace
  /** Calls `work` after `waitMs`, unless the returned function is called before. Tests replace it. */
  after?(waitMs: number, work: () => void): () => void
}

/** `onEnd` is called once, when no program has the pipe open for writing, or when it was closed. */
export function readPipe(options: PipeOptions): PipeReader {
  const after = options.after ?? afterTimeout
  const socket = new Socket({ fd: options.descriptor, readable: true, writable: false })
  let isPaused = false
  let cancelWait: (() => void) | undefined
  const take = (chunk: Buffer) => {
    const waitMs = options.pace?.took(chunk.length, performance.now()) ?? 0
    if (waitMs > 0 && cancelWait === undefined) {
      socket.pause()
      cancelWait = after(waitMs, () => {
        cancelWait = undefined
        if (!isPaused) socket.resume()
      })
    }
    options.onData(chunk)
  }
  socket.on('data', take)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    cancelWait?.()
    options.onEnd()
  })
  return {
    pause: () => {
      isPaused = true
      socket.pause()
    },
    resume: () => {
      isPaused = false
      if (cancelWait === undefined) socket.resume()
    },
    drain: (limit) => {
      const buffered = socket.read() as Buffer | null
      if (buffered !== null) options.onData(buffered)
      // From here on the descriptor's number can refer to another file.
      return socket.destroyed || drainDescriptor({ ...options, limit })
    },
    close: () => void socket.destroy(),
  }
}

function afterTimeout(waitMs: number, work: () => void): () => void {
  const timer = setTimeout(work, waitMs)
  return () => clearTimeout(timer)
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

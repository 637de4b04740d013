import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freshRandom } from '../ground/random.ts'

/** A stretch of output, in memory or in a file. `start` is the offset of its first byte. */
export type OutputSegment = {
  readonly kind: 'memory' | 'file'
  readonly start: number
  readonly size: number
  /** Returns false if the bytes could not be stored here; then none of them were. */
  append(data: Buffer): boolean
  read(options: { offset: number; limit: number }): Buffer
  /** Frees what is before `offset`, where possible. */
  dropBefore(offset: number): void
  close(): void
}

export function memorySegment(segmentStart: number): OutputSegment {
  const chunks: Buffer[] = []
  let start = segmentStart
  let size = 0
  return {
    kind: 'memory',
    get start() {
      return start
    },
    get size() {
      return size
    },
    append: (data) => {
      chunks.push(data)
      size += data.length
      return true
    },
    read: (options) => readChunks({ chunks, start, ...options }),
    dropBefore: (offset) => {
      for (let first = chunks[0]; first !== undefined && start + first.length <= offset; first = chunks[0]) {
        chunks.shift()
        start += first.length
        size -= first.length
      }
    },
    close: () => {
      chunks.length = 0
    },
  }
}

/**
 * Returns undefined if no file can be made. The file has no name: it disappears with the guest, and no other process
 * can open it.
 */
export function fileSegment(options: { directory: string; start: number }): OutputSegment | undefined {
  let descriptor: number
  const path = join(options.directory, `output-${freshRandom(8)}`)
  try {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
    descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
  } catch {
    return undefined
  }
  let size = 0
  return {
    kind: 'file',
    start: options.start,
    get size() {
      return size
    },
    append: (data) => {
      try {
        writeFully(descriptor, { data, position: size })
        size += data.length
        return true
      } catch {
        ftruncateSync(descriptor, size)
        return false
      }
    },
    read: ({ offset, limit }) => {
      const position = offset - options.start
      return readFully(descriptor, { position, length: Math.max(0, Math.min(limit, size - position)) })
    },
    dropBefore: () => undefined,
    close: () => closeSync(descriptor),
  }
}

function readChunks(options: { chunks: Buffer[]; start: number; offset: number; limit: number }): Buffer {
  const parts: Buffer[] = []
  let position = options.start
  let taken = 0
  for (const chunk of options.chunks) {
    const skip = Math.max(0, options.offset - position)
    position += chunk.length
    if (skip >= chunk.length) continue
    const part = chunk.subarray(skip, skip + options.limit - taken)
    parts.push(part)
    taken += part.length
    if (taken >= options.limit) break
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

function writeFully(descriptor: number, options: { data: Buffer; position: number }) {
  for (let done = 0; done < options.data.length; ) {
    done += writeSync(descriptor, options.data, done, options.data.length - done, options.position + done)
  }
}

function readFully(descriptor: number, options: { position: number; length: number }): Buffer {
  const buffer = Buffer.allocUnsafe(options.length)
  let filled = 0
  while (filled < buffer.length) {
    const size = readSync(descriptor, buffer, filled, buffer.length - filled, options.position + filled)
    if (size === 0) break
    filled += size
  }
  return buffer.subarray(0, filled)
}

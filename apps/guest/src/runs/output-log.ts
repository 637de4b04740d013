import { fileSegment, memorySegment, type OutputSegment } from './output-segments.ts'

/** Held in memory before a file is used, and the limit of the file; then the writer has to wait. */
const memoryLimitBytes = 4 * 1024 * 1024
const fileLimitBytes = 64 * 1024 * 1024

/**
 * Output of an execution by byte offset. Acknowledged bytes are dropped; everything else can be read again. `append`
 * never refuses; `isFull` asks the writer to stop, and `onRoom` lets it continue. If the disk has no space for the
 * file, the writer waits as soon as memory is full.
 */
export type OutputLog = {
  append(data: Buffer): void
  /** Up to `limit` bytes from `offset`; empty at the end. Skips acknowledged bytes. */
  read(options: { offset: number; limit: number }): { offset: number; data: Buffer }
  acknowledge(offset: number): void
  readonly size: number
  readonly acknowledged: number
  readonly isFull: boolean
  onRoom(listener: () => void): void
  close(): void
}

type LogOptions = { spillDirectory: string; memoryLimit?: number; fileLimit?: number }

export function makeOutputLog(options: LogOptions): OutputLog {
  const memoryLimit = options.memoryLimit ?? memoryLimitBytes
  const fileLimit = options.fileLimit ?? fileLimitBytes
  let segments: OutputSegment[] = []
  let acknowledged = 0
  let size = 0
  const roomListeners: (() => void)[] = []

  const bytesIn = (kind: OutputSegment['kind']) =>
    segments.filter((segment) => segment.kind === kind).reduce((sum, segment) => sum + segment.size, 0)
  const isFull = () => {
    const last = segments.at(-1)
    return last?.kind === 'file' ? last.size >= fileLimit : bytesIn('memory') > memoryLimit
  }
  const addSegment = (segment: OutputSegment) => {
    segments.push(segment)
    return segment
  }
  const append = (data: Buffer) => {
    const last = segments.at(-1) ?? addSegment(memorySegment(size))
    const spills = last.kind === 'memory' && bytesIn('file') === 0 && last.size + data.length > memoryLimit
    const file = spills ? fileSegment({ directory: options.spillDirectory, start: size }) : undefined
    const target = file === undefined ? last : addSegment(file)
    // The disk is full: memory takes what was already in the pipe, and the writer waits from now on.
    if (!target.append(data)) addSegment(memorySegment(size)).append(data)
    size += data.length
  }
  const acknowledge = (offset: number) => {
    const wasFull = isFull()
    acknowledged = Math.max(acknowledged, Math.min(offset, size))
    segments = segments.flatMap((segment) => freeBefore(segment, { acknowledged, keepInMemory: memoryLimit / 2 }))
    if (wasFull && !isFull()) for (const listener of roomListeners) listener()
  }
  return {
    append: (data) => {
      if (data.length > 0) append(data)
    },
    acknowledge,
    read: ({ offset, limit }) => {
      const from = Math.max(offset, acknowledged)
      const segment = segments.find((candidate) => from < candidate.start + candidate.size)
      return { offset: from, data: segment?.read({ offset: from, limit }) ?? Buffer.alloc(0) }
    },
    get size() {
      return size
    },
    get acknowledged() {
      return acknowledged
    },
    get isFull() {
      return isFull()
    },
    onRoom: (listener) => void roomListeners.push(listener),
    close: () => {
      for (const segment of segments) segment.close()
      segments = []
    },
  }
}

/** A file cannot free space piece by piece, so its last part moves into memory once that part is small. */
function freeBefore(segment: OutputSegment, options: { acknowledged: number; keepInMemory: number }): OutputSegment[] {
  const { acknowledged } = options
  const end = segment.start + segment.size
  if (end <= acknowledged) {
    segment.close()
    return []
  }
  segment.dropBefore(acknowledged)
  const rest = end - Math.max(segment.start, acknowledged)
  if (segment.kind === 'memory' || acknowledged <= segment.start || rest > options.keepInMemory) return [segment]
  const moved = memorySegment(acknowledged)
  moved.append(segment.read({ offset: acknowledged, limit: rest }))
  segment.close()
  return [moved]
}

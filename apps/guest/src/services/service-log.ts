import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A log consists of files of this size, and of so many: 8 MiB, some hours of a verbose development server. */
const segmentBytes = 1024 * 1024
const maxSegments = 8
/** What a failure report needs, kept even if the disk is full. */
const tailBytes = 16 * 1024
const segmentName = /^\d{15}$/

/** A service's output since its start, bounded: the oldest part is dropped first and counted. */
export type ServiceLog = {
  append(data: Buffer): void
  /** Up to `limit` bytes that end at `before`, or at the end of the log if that is 0. */
  read(options: { before: number; limit: number }): LogPart
  /** The last bytes, at most `limit`. */
  tail(limit: number): Buffer
  /** Discards the content. Offsets continue, as if the disk had been full. */
  forget(): void
  close(): void
}

export type LogPart = { data: Buffer; offset: number; size: number; dropped: number }

type Segment = { start: number; size: number; path: string }
type LogOptions = { directory: string; segmentBytes?: number; maxSegments?: number }

/** Starts an empty log and removes an existing one. What does not fit on the disk counts as dropped. */
export function makeServiceLog(options: LogOptions): ServiceLog {
  const limits = { bytes: options.segmentBytes ?? segmentBytes, count: options.maxSegments ?? maxSegments }
  rmSync(options.directory, { recursive: true, force: true })
  let segments: Segment[] = []
  let descriptor: number | undefined
  let size = 0
  let last = Buffer.alloc(0)

  const finishSegment = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const drop = (count: number) => {
    for (const { path } of segments.slice(0, count)) rmSync(path, { force: true })
    segments = segments.slice(count)
  }
  const openSegment = (): Segment => {
    finishSegment()
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
    const path = join(options.directory, String(size).padStart(15, '0'))
    descriptor = openSync(path, 'wx', 0o600)
    const segment = { start: size, size: 0, path }
    segments.push(segment)
    drop(Math.max(0, segments.length - limits.count))
    return segment
  }
  const write = (data: Buffer) => {
    const present = segments.at(-1)
    const segment = descriptor === undefined || present === undefined || present.size >= limits.bytes
    const target = segment ? openSegment() : present
    const room = data.subarray(0, limits.bytes - target.size)
    const written = writeSync(descriptor ?? -1, room)
    target.size += written
    size += written
    return written
  }
  return {
    append: (data) => {
      last = Buffer.concat([last, data]).subarray(-tailBytes)
      for (let rest = data; rest.length > 0; ) {
        try {
          rest = rest.subarray(write(rest))
        } catch {
          // The disk is full: offsets continue, and everything before the gap is discarded, so that a log has no holes.
          finishSegment()
          drop(segments.length)
          size += rest.length
          return
        }
      }
    },
    read: (part) => readPart({ segments, size }, part),
    tail: (limit) => Buffer.from(last.subarray(-limit)),
    forget: () => {
      finishSegment()
      drop(segments.length)
      last = Buffer.alloc(0)
    },
    close: finishSegment,
  }
}

/** The log left by an earlier boot, or by a service that has ended; undefined if none exists. */
export function readStoredLog(directory: string, part: { before: number; limit: number }): LogPart | undefined {
  const segments = storedSegments(directory)
  const end = segments.at(-1)
  return end === undefined ? undefined : readPart({ segments, size: end.start + end.size }, part)
}

function storedSegments(directory: string): Segment[] {
  try {
    const names = readdirSync(directory).filter((name) => segmentName.test(name))
    return names.sort().map((name) => {
      const path = join(directory, name)
      return { path, start: Number(name), size: sizeOf(path) }
    })
  } catch {
    return []
  }
}

function sizeOf(path: string): number {
  const descriptor = openSync(path, 'r')
  try {
    return fstatSync(descriptor).size
  } finally {
    closeSync(descriptor)
  }
}

function readPart(log: { segments: Segment[]; size: number }, part: { before: number; limit: number }): LogPart {
  const dropped = log.segments[0]?.start ?? log.size
  const end = part.before === 0 ? log.size : Math.min(part.before, log.size)
  const offset = Math.max(dropped, end - part.limit)
  const pieces = log.segments.flatMap((segment) => {
    const from = Math.max(offset, segment.start)
    const to = Math.min(end, segment.start + segment.size)
    return to > from ? [readBytes(segment.path, { position: from - segment.start, length: to - from })] : []
  })
  return { data: Buffer.concat(pieces), offset: Math.min(offset, end), size: log.size, dropped }
}

function readBytes(path: string, where: { position: number; length: number }): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const data = Buffer.alloc(where.length)
    const taken = readSync(descriptor, data, 0, where.length, where.position)
    return data.subarray(0, taken)
  } finally {
    closeSync(descriptor)
  }
}

import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'

/** A file to pack. `name` is bytes, because file names need not be text. */
export type ZipEntry = {
  name: Buffer
  /** Unix mode with type bits. */
  mode: number
  modifiedAt: Date
  /** At most this many bytes are read from `content`. */
  size: number
  content: AsyncIterable<Buffer> | Buffer
}

type Written = { entry: ZipEntry; offset: number; packed: number; size: number; crc: number; deflated: boolean }

const large = 0xffffffff
/** Sizes follow the data, because they are not known earlier; names are UTF-8 where possible. */
const sizesFollowFlag = 0x0008
const utf8Flag = 0x0800
/** Low enough that a file near 4 GiB is written in the large format from the start. */
const largeFromBytes = 0xf0000000
/** Smaller files are packed in one synchronous call: some milliseconds, where a stream would cost more. */
const smallBytes = 256 * 1024
/** Size of the sample that decides whether compression pays. */
const sampleBytes = 16 * 1024
/** Each chunk goes through a worker thread and back, which is expensive in a sandbox. */
const packedChunkBytes = 256 * 1024
const blockBytes = 64 * 1024

/** A ZIP archive as a stream (in the ZIP64 format where sizes need it). Entries are read one after another. */
export function zipStream(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  return inBlocks(zipParts(entries))
}

async function* zipParts(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const written: Written[] = []
  let offset = 0
  for await (const entry of entries) {
    const isLarge = entry.size >= largeFromBytes
    const header = localHeader(entry, isLarge)
    yield header
    const record: Written = { entry, offset, packed: 0, size: 0, crc: 0, deflated: !Buffer.isBuffer(entry.content) }
    for await (const chunk of packedContent(record)) {
      record.packed += chunk.length
      yield chunk
    }
    const descriptor = dataDescriptor(record, isLarge)
    yield descriptor
    offset += header.length + record.packed + descriptor.length
    written.push(record)
  }
  const directory = written.map(centralHeader)
  yield* directory
  const size = directory.reduce((sum, header) => sum + header.length, 0)
  yield endOfDirectory({ count: written.length, size, offset })
}

async function* packedContent(record: Written): AsyncGenerator<Buffer> {
  const { content, size } = record.entry
  const count = (chunk: Buffer) => {
    record.crc = crc32(chunk, record.crc)
    record.size += chunk.length
    return chunk
  }
  if (Buffer.isBuffer(content)) {
    yield count(content)
    return
  }
  if (size <= smallBytes) {
    const chunks: Buffer[] = []
    for await (const chunk of limited(content, size)) chunks.push(count(chunk))
    const whole = Buffer.concat(chunks)
    yield deflateRawSync(whole, { level: levelFor(whole) })
    return
  }
  yield* packedStream(limited(content, size), count)
}

async function* packedStream(
  content: AsyncGenerator<Buffer>,
  count: (chunk: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  const first = await content.next()
  const pack = createDeflateRaw({ level: first.done ? 0 : levelFor(first.value), chunkSize: packedChunkBytes })
  const feed = async () => {
    for (let next = first; !next.done; next = await content.next()) {
      if (!pack.write(count(next.value))) await new Promise((resolve) => pack.once('drain', resolve))
    }
    pack.end()
  }
  const fed = feed().catch((error) => void pack.destroy(error))
  yield* pack as AsyncIterable<Buffer>
  await fed
}

/** At most `size` bytes, even if the file has grown since. */
async function* limited(content: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size
  if (left === 0) return
  for await (const chunk of content) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

/** Images, archives and similar content do not compress: trying would take most of the time. */
function levelFor(content: Buffer): number {
  const sample = content.subarray(0, sampleBytes)
  return deflateRawSync(sample, { level: 1 }).length < sample.length * 0.95 ? 3 : 0
}

/** Joins small parts: a separate write costs more than a copy. */
async function* inBlocks(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const part of parts) {
    waiting.push(part)
    bytes += part.length
    if (bytes < blockBytes) continue
    yield waiting.length === 1 ? part : Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}

function localHeader(entry: ZipEntry, isLarge: boolean): Buffer {
  const extra = isLarge ? zip64Extra([0n, 0n]) : Buffer.alloc(0)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isLarge ? 45 : 20, 4)
  header.writeUInt16LE(flagsOf(entry), 6)
  header.writeUInt16LE(methodOf(entry), 8)
  header.writeUInt32LE(dosTime(entry.modifiedAt), 10)
  header.writeUInt32LE(isLarge ? large : 0, 18)
  header.writeUInt32LE(isLarge ? large : 0, 22)
  header.writeUInt16LE(entry.name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, entry.name, extra])
}

function dataDescriptor(record: Written, isLarge: boolean): Buffer {
  const descriptor = Buffer.alloc(isLarge ? 24 : 16)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(record.crc, 4)
  if (isLarge) {
    descriptor.writeBigUInt64LE(BigInt(record.packed), 8)
    descriptor.writeBigUInt64LE(BigInt(record.size), 16)
  } else {
    descriptor.writeUInt32LE(record.packed, 8)
    descriptor.writeUInt32LE(record.size, 12)
  }
  return descriptor
}

function centralHeader(record: Written): Buffer {
  const { entry } = record
  const numbers = [record.size, record.packed, record.offset]
  const extra = zip64Extra(numbers.filter((number) => number >= large).map(BigInt))
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE((3 << 8) | 45, 4)
  header.writeUInt16LE(extra.length > 0 ? 45 : 20, 6)
  header.writeUInt16LE(flagsOf(entry), 8)
  header.writeUInt16LE(methodOf(entry), 10)
  header.writeUInt32LE(dosTime(entry.modifiedAt), 12)
  header.writeUInt32LE(record.crc, 16)
  header.writeUInt32LE(Math.min(record.packed, large), 20)
  header.writeUInt32LE(Math.min(record.size, large), 24)
  header.writeUInt16LE(entry.name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE((entry.mode << 16) >>> 0, 38)
  header.writeUInt32LE(Math.min(record.offset, large), 42)
  return Buffer.concat([header, entry.name, extra])
}

function endOfDirectory(directory: { count: number; size: number; offset: number }): Buffer {
  const isLarge = directory.count >= 0xffff || directory.offset + directory.size >= large
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(directory.count, 0xffff), 8)
  end.writeUInt16LE(Math.min(directory.count, 0xffff), 10)
  end.writeUInt32LE(Math.min(directory.size, large), 12)
  end.writeUInt32LE(Math.min(directory.offset, large), 16)
  return isLarge ? Buffer.concat([zip64End(directory), end]) : end
}

function zip64End(directory: { count: number; size: number; offset: number }): Buffer {
  const record = Buffer.alloc(56 + 20)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE((3 << 8) | 45, 12)
  record.writeUInt16LE(45, 14)
  record.writeBigUInt64LE(BigInt(directory.count), 24)
  record.writeBigUInt64LE(BigInt(directory.count), 32)
  record.writeBigUInt64LE(BigInt(directory.size), 40)
  record.writeBigUInt64LE(BigInt(directory.offset), 48)
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(BigInt(directory.offset + directory.size), 64)
  record.writeUInt32LE(1, 72)
  return record
}

function zip64Extra(numbers: bigint[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0)
  const extra = Buffer.alloc(4 + numbers.length * 8)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(numbers.length * 8, 2)
  for (const [index, number] of numbers.entries()) extra.writeBigUInt64LE(number, 4 + index * 8)
  return extra
}

function methodOf(entry: ZipEntry) {
  return Buffer.isBuffer(entry.content) ? 0 : 8
}

function flagsOf(entry: ZipEntry) {
  const isText = Buffer.from(entry.name.toString('utf8')).equals(entry.name)
  return sizesFollowFlag | (isText ? utf8Flag : 0)
}

/** The format knows no zone and begins in 1980; time in the low half, date in the high half. */
function dosTime(at: Date): number {
  const year = Math.max(0, Math.min(127, at.getUTCFullYear() - 1980))
  const date = (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}

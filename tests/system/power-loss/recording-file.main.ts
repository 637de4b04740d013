import { appendFileSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'

/**
 * A file that records what was written to it and when it was flushed: the disk below a loop device whose power can be
 * cut at any moment afterwards. Speaks the kernel’s FUSE protocol on descriptor 3, for a mount whose root is one
 * regular file (`rootmode=100600`). One request at a time, so the order of the log is the order in which requests were
 * completed.
 *
 * usage: node recording-file.main.ts CONTENT LOG SIZE, with /dev/fuse as descriptor 3
 *
 * Layouts are those of linux/fuse.h, version 7.31.
 */
const [contentPath, logPath, sizeText] = process.argv.slice(2)
if (contentPath === undefined || logPath === undefined) throw new Error('usage: CONTENT LOG SIZE')
const size = Number(sizeText)
const device = 3
const content = openSync(contentPath, 'w+')
ftruncateSync(content, size)

const opcode = {
  forget: 2,
  getattr: 3,
  setattr: 4,
  open: 14,
  read: 15,
  write: 16,
  statfs: 17,
  release: 18,
  fsync: 20,
  flush: 25,
  init: 26,
  access: 34,
  interrupt: 36,
  destroy: 38,
  batchForget: 42,
}
const headerBytes = 40
const maxWriteBytes = 1024 * 1024
const unsupported = -38
const noDevice = 'ENODEV'

const request = Buffer.alloc(maxWriteBytes + 4096)
for (;;) {
  const length = nextRequest()
  if (length === undefined) break
  const code = request.readUInt32LE(4)
  const unique = request.readBigUInt64LE(8)
  if (code === opcode.forget || code === opcode.batchForget || code === opcode.interrupt) continue
  const answer = handle(code, request.subarray(headerBytes, length))
  reply(unique, answer)
  if (code === opcode.destroy) break
}

/** Undefined once the file is unmounted. */
function nextRequest(): number | undefined {
  for (;;) {
    try {
      return readSync(device, request)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === noDevice) return undefined
      // The request was interrupted before it was read.
      if (code !== 'EINTR' && code !== 'ENOENT' && code !== 'EAGAIN') throw error
    }
  }
}

function reply(unique: bigint, answer: Buffer | number): void {
  const body = typeof answer === 'number' ? Buffer.alloc(0) : answer
  const out = Buffer.alloc(16 + body.length)
  out.writeUInt32LE(out.length, 0)
  out.writeInt32LE(typeof answer === 'number' ? answer : 0, 4)
  out.writeBigUInt64LE(unique, 8)
  body.copy(out, 16)
  writeSync(device, out)
}

/** The reply: a body, or a negative error number. */
function handle(code: number, body: Buffer): Buffer | number {
  switch (code) {
    case opcode.init:
      return initialised()
    case opcode.getattr:
    case opcode.setattr:
      return attributes()
    case opcode.open:
      return Buffer.alloc(16)
    case opcode.read:
      return read(Number(body.readBigUInt64LE(8)), body.readUInt32LE(16))
    case opcode.write:
      return write(Number(body.readBigUInt64LE(8)), body.subarray(40, 40 + body.readUInt32LE(16)))
    case opcode.fsync:
      record('F', 0, Buffer.alloc(0))
      return Buffer.alloc(0)
    case opcode.statfs:
      return Buffer.alloc(80)
    case opcode.flush:
    case opcode.release:
    case opcode.access:
    case opcode.destroy:
      return Buffer.alloc(0)
    default:
      return unsupported
  }
}

function initialised(): Buffer {
  const bigWrites = 1 << 5
  const maxPages = 1 << 22
  const out = Buffer.alloc(64)
  out.writeUInt32LE(7, 0)
  out.writeUInt32LE(31, 4)
  out.writeUInt32LE(bigWrites | maxPages, 12)
  out.writeUInt32LE(maxWriteBytes, 20)
  out.writeUInt32LE(1, 24)
  out.writeUInt16LE(maxWriteBytes / 4096, 28)
  return out
}

function attributes(): Buffer {
  const out = Buffer.alloc(104)
  const valid = 3600n
  out.writeBigUInt64LE(valid, 0)
  out.writeBigUInt64LE(1n, 16)
  out.writeBigUInt64LE(BigInt(size), 24)
  out.writeBigUInt64LE(BigInt(Math.ceil(size / 512)), 32)
  out.writeUInt32LE(0o100600, 76)
  out.writeUInt32LE(1, 80)
  out.writeUInt32LE(4096, 96)
  return out
}

function read(offset: number, length: number): Buffer {
  const out = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
  readSync(content, out, 0, out.length, offset)
  return out
}

function write(offset: number, data: Buffer): Buffer {
  record('W', offset, data)
  writeSync(content, data, 0, data.length, offset)
  const out = Buffer.alloc(8)
  out.writeUInt32LE(data.length, 0)
  return out
}

/**
 * The log is written before the reply is sent: a caller that knows of a write finds it within the log’s current length.
 */
function record(kind: 'W' | 'F', offset: number, data: Buffer): void {
  const header = Buffer.alloc(16)
  header.write(kind, 0)
  header.writeUInt32LE(data.length, 4)
  header.writeBigUInt64LE(BigInt(offset), 8)
  appendFileSync(logPath as string, Buffer.concat([header, data]))
}

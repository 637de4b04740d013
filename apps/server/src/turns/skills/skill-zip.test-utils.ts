import { crc32, deflateRawSync } from 'node:zlib'

export type ZipPart = {
  name: string | Buffer
  content?: string | Buffer
  /** With type bits, as in Unix. */
  mode?: number
  isDeflated?: boolean
  flags?: number
  method?: number
  /** Values in the central directory that differ from the real ones. */
  says?: { sizeBytes?: number; checksum?: number; offset?: number }
}

/** Creates a zip, also an invalid one that no ordinary program would write. */
export function makeZip(parts: readonly ZipPart[], options: { count?: number; comment?: string } = {}): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const part of parts) {
    const name = Buffer.from(part.name)
    const content = Buffer.from(part.content ?? '')
    const packed = part.isDeflated === true ? deflateRawSync(content) : content
    const method = part.method ?? (part.isDeflated === true ? 8 : 0)
    const sizeBytes = part.says?.sizeBytes ?? content.length
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(part.flags ?? 0x0800, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(part.says?.checksum ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(sizeBytes, 18)
    common.writeUInt16LE(name.length, 22)
    const written = Buffer.concat([numberOf(0x04034b50), common, name, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 6)
    rest.writeUInt32LE(part.says?.offset ?? offset, 10)
    directory.push(Buffer.concat([numberOf(0x02014b50), Buffer.from([20, 3]), common, rest, name]))
    local.push(written)
    offset += written.length
  }
  const entries = Buffer.concat(directory)
  const count = options.count ?? parts.length
  const comment = Buffer.from(options.comment ?? '')
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(entries.length, 8)
  end.writeUInt32LE(offset, 12)
  end.writeUInt16LE(comment.length, 16)
  return Buffer.concat([...local, entries, numberOf(0x06054b50), end, comment])
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export function skillText(name: string, description = `Does ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# How\n\nRun scripts/run.sh\n`
}

/** A file in a ZIP archive in memory. */
type ZipPart = { name: string; method: number; packedSize: number; size: number; offset: number }

/** The largest unpacked size of one file: more is an attack, or too much to show on a page. */
const largestPartBytes = 64 * 1024 * 1024

/** Reads single files of a ZIP archive; null for one that doesn’t exist. Throws if it isn’t a ZIP archive. */
export function openZip(bytes: Uint8Array<ArrayBuffer>): { read(name: string): Promise<string | null> } {
  const parts = new Map(directoryOf(bytes).map((part) => [part.name, part]))
  return {
    read: async (name) => {
      const part = parts.get(name)
      return part === undefined ? null : new TextDecoder().decode(await unpack(bytes, part))
    },
  }
}

function directoryOf(bytes: Uint8Array<ArrayBuffer>): ZipPart[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1
  if (end < 0) throw new TypeError('This isn’t a zip archive.')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const parts: ZipPart[] = []
  for (let index = 0; index < count; index += 1) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new TypeError('The archive is damaged.')
    const nameLength = view.getUint16(at + 28, true)
    parts.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
      method: view.getUint16(at + 10, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return parts
}

async function unpack(bytes: Uint8Array<ArrayBuffer>, part: ZipPart): Promise<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = part.offset + 30 + view.getUint16(part.offset + 26, true) + view.getUint16(part.offset + 28, true)
  const packed = bytes.subarray(start, start + part.packedSize)
  if (part.method === 0) return packed
  if (part.method !== 8) throw new TypeError('The archive uses an unsupported compression method.')
  const chunks: Uint8Array[] = []
  let size = 0
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = unpacked.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    // The sizes that the archive states aren’t trusted.
    if (size > largestPartBytes) {
      await reader.cancel()
      throw new TypeError('Part of the archive is too large to show.')
    }
    chunks.push(next.value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

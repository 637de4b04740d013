import { uploadInvalid } from './file-errors.ts'

export type MultipartPart = { name: string; filename: string | undefined; content: AsyncIterable<Buffer> }

const headerLimitBytes = 16 * 1024

/**
 * Yields parts of a multipart/form-data body as they arrive. Each part's content must be read to its end before the
 * next part is requested; nothing larger than a chunk is held.
 */
export async function* readMultipart(options: {
  contentType: string
  body: AsyncIterable<Buffer>
}): AsyncGenerator<MultipartPart> {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(options.contentType)
  const name = boundary?.[1] ?? boundary?.[2]
  if (name === undefined) throw uploadInvalid({ problem: 'the boundary is missing' })
  const source = makeSource(options.body)
  // The first delimiter has no line break before it; with one prepended, all delimiters look the same.
  source.unshift(Buffer.from('\r\n'))
  const delimiter = Buffer.from(`\r\n--${name}`)
  for await (const _preamble of source.until(delimiter));
  while (!(await source.startsWith('--'))) {
    const headers = parseHeaders(await collect(source.until(Buffer.from('\r\n\r\n'))))
    yield { ...headers, content: source.until(delimiter) }
  }
}

function parseHeaders(headers: Buffer): { name: string; filename: string | undefined } {
  const disposition = /^content-disposition:(.*)$/im.exec(headers.toString('utf8'))?.[1] ?? ''
  const parameter = (key: string) => {
    const match = new RegExp(`[;\\s]${key}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(disposition)
    return match?.[1]
      ?.replace(/\\(["\\])/g, '$1')
      .replaceAll('%22', '"')
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
  }
  return { name: parameter('name') ?? '', filename: parameter('filename') }
}

async function collect(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const part of parts) {
    chunks.push(part)
    size += part.length
    if (size > headerLimitBytes) throw uploadInvalid({ problem: 'the headers of a part are too long' })
  }
  return Buffer.concat(chunks)
}

/** A stream of bytes that can be cut at a mark. */
function makeSource(body: AsyncIterable<Buffer>) {
  const iterator = body[Symbol.asyncIterator]()
  let buffer: Buffer = Buffer.alloc(0)
  const more = async () => {
    const next = await iterator.next()
    if (next.done) throw uploadInvalid({ problem: 'it ends in the middle of a part' })
    buffer = buffer.length === 0 ? next.value : Buffer.concat([buffer, next.value])
  }
  return {
    unshift: (data: Buffer) => {
      buffer = Buffer.concat([data, buffer])
    },
    startsWith: async (text: string) => {
      while (buffer.length < text.length) await more()
      return buffer.toString('latin1', 0, text.length) === text
    },
    /** Yields what comes before the mark, and consumes the mark. */
    async *until(mark: Buffer): AsyncGenerator<Buffer> {
      for (;;) {
        const at = buffer.indexOf(mark)
        if (at >= 0) {
          const before = buffer.subarray(0, at)
          buffer = buffer.subarray(at + mark.length)
          if (before.length > 0) yield before
          return
        }
        // The mark can have begun at the very end.
        const safe = buffer.length - mark.length + 1
        if (safe > 0) {
          const before = buffer.subarray(0, safe)
          buffer = buffer.subarray(safe)
          yield before
        }
        await more()
      }
    },
  }
}

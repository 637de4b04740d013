import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readMultipart } from './multipart.ts'

/** A form as the program sent it over a socket: its content type, an empty line, the body. */
async function recordedForm(program: string): Promise<{ contentType: string; body: Buffer }> {
  const recorded = await readFile(new URL(`./recorded-forms/${program}.http`, import.meta.url))
  const end = recorded.indexOf('\r\n\r\n')
  const contentType = recorded.subarray('content-type: '.length, end).toString()
  return { contentType, body: recorded.subarray(end + 4) }
}

async function* inChunksOf(bytes: number, body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes)
}

async function partsOf(contentType: string, body: AsyncIterable<Buffer>) {
  const parts: { name: string; filename: string | undefined; content: string }[] = []
  for await (const { name, filename, content } of readMultipart({ contentType, body })) {
    const chunks: Buffer[] = []
    for await (const chunk of content) chunks.push(chunk)
    parts.push({ name, filename, content: Buffer.concat(chunks).toString() })
  }
  return parts
}

test.each(['chromium', 'curl', 'undici', 'urllib3'])(
  'a form as %s sends it is read, however it is cut into chunks',
  async (program) => {
    const { contentType, body } = await recordedForm(program)
    for (const bytes of [1, 7, body.length]) {
      const parts = await partsOf(contentType, inChunksOf(bytes, body))
      expect(parts.filter(({ filename }) => filename !== undefined)).toEqual([
        { name: 'file', filename: 'a "b" ü;.txt', content: 'first\r\n--not-the-end\r\nlast\n' },
        { name: 'file', filename: 'empty.bin', content: '' },
      ])
      expect(parts.filter(({ filename }) => filename === undefined)).toEqual([
        { name: 'note', filename: undefined, content: 'a note' },
      ])
    }
  },
)

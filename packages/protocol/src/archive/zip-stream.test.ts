import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type ZipEntry, zipStream } from './zip-stream.ts'

const run = promisify(execFile)
const about = { mode: 0o100644, modifiedAt: new Date(0) }

async function* inPieces(content: Buffer, pieceBytes = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}

function file(name: string, content: Buffer, sizeNow = content.length): ZipEntry {
  return { ...about, name: Buffer.from(name), size: sizeNow, content: inPieces(content) }
}

/** Names, sizes and digests that an independent reader finds in the archive, after it verified every checksum. */
async function readBack(entries: ZipEntry[]): Promise<{ parts: number; bytes: number; found: Record<string, string> }> {
  const parts: Buffer[] = []
  const given = async function* () {
    yield* entries
  }
  for await (const part of zipStream(given())) parts.push(part)
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-zip-'))
  const path = join(directory, 'out.zip')
  await writeFile(path, Buffer.concat(parts))
  const check = `import hashlib,json,sys,zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}))`
  const { stdout } = await run('python3', ['-c', check, path])
  await rm(directory, { recursive: true })
  return { parts: parts.length, bytes: Buffer.concat(parts).length, found: JSON.parse(stdout) }
}
const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')

test('G8: large and small files, compressible and incompressible, are unpacked unchanged', async () => {
  const contents = {
    empty: Buffer.alloc(0),
    'small.txt': Buffer.from('small '.repeat(100)),
    'small.bin': randomBytes(1000),
    'large.txt': Buffer.from('a line of text\n'.repeat(200_000)),
    'large.bin': randomBytes(3_000_000),
  }
  const { found, bytes } = await readBack(Object.entries(contents).map(([name, content]) => file(name, content)))
  expect(found).toEqual(Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, digest(content)])))
  expect(bytes).toBeLessThan(3_100_000)
})

test.each([1000, 400_000])(
  'a file of %d bytes that grew or shrank while it was read leaves a whole archive',
  async (size) => {
    const content = randomBytes(size)
    const half = Math.floor(size / 2)
    const { found } = await readBack([file('grown', content, half), file('shrunk', content.subarray(0, half), size)])
    expect(found).toEqual({ grown: digest(content.subarray(0, half)), shrunk: digest(content.subarray(0, half)) })
  },
)

test('very many small files are sent in few parts', async () => {
  const entries = Array.from({ length: 1000 }, (_, index) => file(`${index}.txt`, Buffer.from(`file ${index}`)))
  const { parts, found } = await readBack(entries)
  expect(Object.keys(found)).toHaveLength(1000)
  expect(parts).toBeLessThan(20)
})

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BlobStore } from './blob-store.ts'
import { makeDirectoryBlobStore } from './directory-blob-store.ts'

let directory: string
let blobs: BlobStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-blobs-'))
  blobs = makeDirectoryBlobStore(directory)
})
afterEach(() => rm(directory, { recursive: true }))

const bytes = (text: string) => new TextEncoder().encode(text)
const read = async (key: string, range?: { offset: number; length?: number }) => {
  const blob = await blobs.get(key, range)
  return blob === undefined ? undefined : { text: await new Response(blob.stream).text(), sizeBytes: blob.sizeBytes }
}

test.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', 'a/./b', 'A', 'a\0b', ''])(
  'the key %j is rejected',
  async (key) => {
    await expect(blobs.put(key, bytes('x'))).rejects.toMatchObject({ code: 'blob.key-invalid' })
    await expect(blobs.deleteAll(key)).rejects.toMatchObject({ code: 'blob.key-invalid' })
  },
)

test('content that breaks off stores nothing and leaves the previous blob', async () => {
  await blobs.put('t/one', bytes('before'))
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes('half')),
    pull: (controller) => controller.error(new Error('connection lost')),
  })
  await expect(blobs.put('t/one', broken)).rejects.toThrow('connection lost')
  expect(await read('t/one')).toEqual({ text: 'before', sizeBytes: 6 })
  expect(await readdir(join(directory, 't'))).toEqual(['one'])
})

test('an append past the end is rejected; one inside replaces what followed, so that a writer can repeat its last chunk', async () => {
  await expect(blobs.append('t/out', 1, bytes('x'))).rejects.toMatchObject({ code: 'blob.offset-invalid' })
  await blobs.append('t/out', 0, bytes('hello '))
  await blobs.append('t/out', 6, bytes('wor'))
  await blobs.append('t/out', 6, bytes('world'))
  expect(await readFile(join(directory, 't/out'), 'utf8')).toBe('hello world')
  await expect(blobs.append('t/out', 12, bytes('x'))).rejects.toMatchObject({ code: 'blob.offset-invalid' })
})

test('parts are read by offset and length, also past the end; a missing blob is undefined', async () => {
  const { sha256 } = await blobs.put('t/a', bytes('0123456789'))
  expect(sha256).toBe('84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882')
  expect(await read('t/a', { offset: 3, length: 4 })).toEqual({ text: '3456', sizeBytes: 10 })
  expect(await read('t/a', { offset: 8 })).toEqual({ text: '89', sizeBytes: 10 })
  expect(await read('t/a', { offset: 50, length: 5 })).toEqual({ text: '', sizeBytes: 10 })
  expect(await read('t/none')).toBeUndefined()
})

test('all blobs of a thread are deleted together, and none of another', async () => {
  await blobs.put('attachments/t1/a', bytes('1'))
  await blobs.put('attachments/t10/a', bytes('10'))
  await blobs.deleteAll('attachments/t1')
  await blobs.deleteAll('attachments/t1')
  expect(await read('attachments/t1/a')).toBeUndefined()
  expect(await read('attachments/t10/a')).toMatchObject({ text: '10' })
})

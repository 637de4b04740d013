import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { readStored } from '../../threads/attachments/stored-output.ts'
import { makeDisplayRoom, storeDisplay } from './display.ts'

let directory: string
let blobs: BlobStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-displays-'))
  blobs = makeDirectoryBlobStore(directory)
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const call = { id: 'c1', threadId: 't1' }
const store = (bundle: unknown) => {
  const bundleJson = typeof bundle === 'string' ? bundle : JSON.stringify(bundle)
  return storeDisplay({ index: 3, bundleJson, isResult: false }, { call, blobs })
}

describe('a rich result of a cell', () => {
  it('that is malformed shows nothing instead of failing the cell', async () => {
    for (const bundle of ['not json', '[]', '{}', { data: null }, { data: { 'no type': 'x', '../../etc': 'y' } }]) {
      expect(await store(bundle)).toEqual({ id: 'c1-3', items: [] })
    }
  })

  it('O2: keeps a figure as bytes and small text inline, the richest format first', async () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
    const data = { 'text/plain': '<Figure>', 'image/png': png.toString('base64'), 'text/html': ['<b>', 'x</b>'] }
    const display = await store({ data, metadata: {} })
    expect(display.items.map((item) => item.mediaType)).toEqual(['text/html', 'image/png', 'text/plain'])
    expect(display.items[1]).toEqual({
      mediaType: 'image/png',
      url: '/api/v1/threads/t1/results/c1/display-3-1',
      sizeBytes: 7,
    })
    const stored = await readStored(blobs, { key: 'results/t1/c1/display-3-1', offset: 0, length: 100 })
    expect(Buffer.from(stored)).toEqual(png)
  })

  it('O2: also stores a page at its own URL, however short it is', async () => {
    const { items } = await store({ data: { 'text/html': ['<b>', 'x</b>'], 'text/plain': 'x' } })
    const url = '/api/v1/threads/t1/results/c1/display-3-0'
    expect(items).toEqual([
      { mediaType: 'text/html', text: '<b>x</b>', url, sizeBytes: 8 },
      { mediaType: 'text/plain', text: 'x', sizeBytes: 1 },
    ])
    const stored = await readStored(blobs, { key: 'results/t1/c1/display-3-0', offset: 0, length: 100 })
    expect(Buffer.from(stored).toString()).toBe('<b>x</b>')
  })

  it('stores large text beside the conversation, and JSON as JSON', async () => {
    const display = await store({ data: { 'text/html': 'x'.repeat(50_000), 'application/json': { a: 1 } } })
    expect(display.items[0]).toMatchObject({ mediaType: 'text/html', sizeBytes: 50_000, url: expect.any(String) })
    expect(display.items[1]).toMatchObject({ mediaType: 'application/json', text: '{"a":1}' })
  })
})

describe('the rich results of a cell', () => {
  const result = (index: number, characters = 1) => ({ index, bundleJson: 'x'.repeat(characters), isResult: false })

  it('C9: are stored up to 1000, also when a server continues with earlier ones; the others are counted', () => {
    const room = makeDisplayRoom(998)
    expect([998, 999].map((index) => room.admit(result(index))?.index)).toEqual([998, 999])
    expect([1000, 1001, 1002].map((index) => room.admit(result(index)))).toEqual([undefined, undefined, undefined])
    expect(room.omitted()).toBe(3)
  })

  it('C9: are replaced by a line of text where they exceed 64 MiB in all, and smaller ones still have room', () => {
    const room = makeDisplayRoom(0)
    const mebibytes = (count: number) => count * 1024 * 1024
    expect(room.admit(result(0, mebibytes(63)))?.index).toBe(0)
    const note = room.admit(result(1, mebibytes(2)))
    expect(JSON.parse(note?.bundleJson ?? '')).toEqual({
      data: { 'text/plain': '[a rich result of 2097152 bytes was omitted: this cell has too many]' },
    })
    expect(room.admit(result(2))).toEqual(result(2))
    expect(room.omitted()).toBe(0)
  })
})

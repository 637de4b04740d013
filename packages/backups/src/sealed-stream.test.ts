import { randomBytes } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ObjectStore } from '@threadbox/object-store'
import { expect, test } from 'vitest'
import { makeBackupSubject } from './backups.test-utils.ts'
import { makeIdentity } from './recovery-key.ts'
import { openSealedStream, removeSealedStream, storeSealedStream } from './sealed-stream.ts'

const content = randomBytes(200_000)

async function begin() {
  const subject = await makeBackupSubject()
  const { identity, recipient } = await makeIdentity()
  const { store, directory, storeDirectory } = subject
  const storeIt = (more: { store?: ObjectStore; beforePart?: () => Promise<void> } = {}) =>
    storeSealedStream({
      content: pieces(),
      prefix: 'archives/s1/a1',
      recipient,
      store,
      spoolDirectory: directory,
      partBytes: 64 * 1024,
      ...more,
    })
  const files = async () => (await readdir(join(storeDirectory, 'archives/s1/a1')).catch(() => [])).sort()
  const pathOf = (name: string) => join(storeDirectory, 'archives/s1/a1', name)
  return { subject, identity, store, storeIt, files, pathOf }
}

async function* pieces() {
  for (let at = 0; at < content.length; at += 10_000) yield content.subarray(at, at + 10_000)
}

test('content comes back as it was stored, in several parts that show nothing of it, and is removed with its prefix', async () => {
  const { subject, identity, store, storeIt, files } = await begin()
  await using _ = subject
  const stored = await storeIt()
  expect(stored.parts.length).toBe(4)
  expect(await files()).toEqual(stored.parts.map(({ sha256 }) => sha256).sort())
  let readBytes = 0
  const onRead = (bytes: number) => {
    readBytes += bytes
  }
  expect((await buffer(openSealedStream(stored, { store, identity, onRead }))).equals(content)).toBe(true)
  expect(readBytes).toBe(stored.parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  const other = await makeIdentity()
  await expect(buffer(openSealedStream(stored, { store, identity: other.identity }))).rejects.toMatchObject({
    code: 'archive.part-lost',
  })
  await removeSealedStream(store, stored.prefix)
  expect(await files()).toEqual([])
})

test('a missing, changed or exchanged part is a lost one; a store that breaks off is not', async () => {
  const { subject, identity, store, storeIt, pathOf } = await begin()
  await using _ = subject
  const stored = await storeIt()
  const [first, second, third] = stored.parts
  const open = (from: ObjectStore = store, parts = stored.parts) =>
    buffer(openSealedStream({ ...stored, parts }, { store: from, identity }))
  const broken: ObjectStore = {
    ...store,
    get: async () =>
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(new Uint8Array(100))
          controller.error(new Error('the connection was reset'))
        },
      }),
  }
  await expect(open(broken)).rejects.toMatchObject({ code: 'store.unreachable' })
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few parts')
  const exchanged = { ...second, sha256: 'f'.repeat(64) }
  await writeFile(
    pathOf(exchanged.sha256),
    await buffer((await store.get(`${stored.prefix}/${first.sha256}`)) as never),
  )
  await expect(open(store, [first, exchanged])).rejects.toMatchObject({
    code: 'archive.part-lost',
    details: { part: 2, state: 'changed' },
  })
  await writeFile(pathOf(third.sha256), randomBytes(third.sizeBytes))
  await expect(open()).rejects.toMatchObject({ code: 'archive.part-lost', details: { part: 3, state: 'changed' } })
  await rm(pathOf(second.sha256))
  await expect(open()).rejects.toMatchObject({ code: 'archive.part-lost', details: { part: 2, state: 'missing' } })
})

test('a store that keeps less than it was given, or a caller that stops, fails before the next part', async () => {
  const { subject, store, storeIt } = await begin()
  await using _ = subject
  const forgetful: ObjectStore = { ...store, put: async () => 'stored' }
  await expect(storeIt({ store: forgetful })).rejects.toMatchObject({ code: 'archive.part-lost' })
  let parts = 0
  const beforePart = async () => {
    parts += 1
    if (parts === 3) throw new Error('it is used again')
  }
  await expect(storeIt({ beforePart })).rejects.toThrow('it is used again')
  expect(parts).toBe(3)
})

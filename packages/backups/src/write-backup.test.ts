import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '@threadbox/object-store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { facts, makeBackupSubject, type TestFiles } from './backups.test-utils.ts'
import { makeKeys, parseRecoveryKey, verificationKeyOf } from './recovery-key.ts'
import { takeLease } from './store-lease.ts'
import { listBackups, readManifest } from './stored-backups.ts'
import { verifyBackups, verifyContent } from './verify-backups.ts'

let subject: Awaited<ReturnType<typeof makeBackupSubject>>
beforeEach(async () => {
  subject = await makeBackupSubject()
})
afterEach(() => subject[Symbol.asyncDispose]())

const canary = 'zq7-canary-of-the-content-zq7'
const someFiles = (): TestFiles => ({
  'database/server.db': { content: randomBytes(300_000) },
  'blobs/t1/a': { content: Buffer.from(canary.repeat(500)), version: '1' },
  'blobs/t1/empty': { content: new Uint8Array(), version: '1' },
  'blobs/t2/same': { content: Buffer.from(canary.repeat(500)), version: '1' },
})
const contentOf = (files: TestFiles) =>
  Object.fromEntries(Object.entries(files).map(([path, { content }]) => [path, Buffer.from(content)]))

test('what was backed up comes back byte for byte, from every backup', async () => {
  const first = someFiles()
  const one = await subject.write(first)
  const second = { ...first, 'blobs/t3/b': { content: randomBytes(70_000), version: '1' } }
  subject.clock.now += 3_600_000
  const two = await subject.write(second)
  expect(await subject.restore(one.name)).toEqual({ content: contentOf(first), lost: [] })
  expect(await subject.restore(two.name)).toEqual({ content: contentOf(second), lost: [] })
  expect(await listBackups(subject.store)).toEqual([two.name, one.name])
})

test('a second backup stores what changed: 1 % changed costs at most 2 % of the bytes', async () => {
  const database = randomBytes(8 * 1024 * 1024)
  const blobs: TestFiles = {}
  for (let number = 0; number < 100; number++) {
    blobs[`blobs/t${number}/a`] = { content: randomBytes(80_000), version: '1' }
  }
  const large = { packBytes: 1024 * 1024 }
  const first = await subject.write({ 'database/server.db': { content: database }, ...blobs }, large)
  const changed = Buffer.from(database)
  randomBytes(database.byteLength / 100 - 8192).copy(changed, 4096 * 100)
  blobs['blobs/t7/a'] = { content: randomBytes(80_000), version: '2' }
  subject.clock.now += 3_600_000
  const files = { 'database/server.db': { content: changed }, ...blobs }
  const second = await subject.write(files, large)
  expect(second.storedBytes).toBeGreaterThan(0)
  expect(second.storedBytes).toBeLessThanOrEqual(first.storedBytes * 0.02)
  subject.clock.now += 3_600_000
  expect((await subject.write(files, large)).storedBytes).toBe(0)
  expect(await subject.restore(second.name)).toEqual({ content: contentOf(files), lost: [] })
})

test('no stored byte shows content, names or keys; only the recovery key opens a backup', async () => {
  const { name } = await subject.write(someFiles())
  const names = await readdir(subject.storeDirectory, { recursive: true, withFileTypes: true })
  for (const entry of names.filter((one) => one.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name))
    for (const secret of [canary, 'blobs/', 'server.db', subject.key.identity]) {
      expect(bytes.includes(secret), `${entry.name} has ${secret}`).toBe(false)
    }
  }
  const other = parseRecoveryKey((await makeKeys()).recoveryKey)
  await expect(readManifest(subject.store, name, other)).rejects.toMatchObject({ code: 'backup.damaged' })
  const half = { identity: other.identity, verificationKey: subject.key.verificationKey }
  await expect(readManifest(subject.store, name, half)).rejects.toMatchObject({ code: 'backup.recovery-key-other' })
})

test('a backup that lost its catalog, or packs in the store, stores everything again', async () => {
  const files = someFiles()
  const first = await subject.write(files)
  await rm(join(subject.directory, 'work/catalog.json'))
  subject.clock.now += 1000
  expect((await subject.write(files)).storedBytes).toBeGreaterThan(300_000)
  for (const object of await subject.objectFiles()) await rm(join(subject.storeDirectory, object))
  subject.clock.now += 1000
  const third = await subject.write(files)
  expect(third.storedBytes).toBeGreaterThan(300_000)
  expect((await subject.restore(third.name)).lost).toEqual([])
  expect((await subject.restore(first.name)).lost).toHaveLength(3)
})

test('of a pack of which less than half is needed, the rest is stored again', async () => {
  const files: TestFiles = {}
  for (let number = 0; number < 16; number++) files[`blobs/${number}`] = { content: randomBytes(4096), version: '1' }
  await subject.write(files)
  const few: TestFiles = Object.fromEntries(Object.entries(files).slice(0, 4))
  subject.clock.now += 1000
  expect((await subject.write(few)).storedBytes).toBe(0)
  subject.clock.now += 1000
  const third = await subject.write(few)
  expect(third.storedBytes).toBeGreaterThan(4 * 4096)
  expect(third.storedBytes).toBeLessThan(6 * 4096)
})

test('what was deleted while the backup ran is named in the manifest', async () => {
  const sources = async function* () {
    yield { path: 'blobs/gone', chunkBytes: 4096, open: async () => null }
  }
  const { name } = await subject.write({}, { collect: async () => ({ files: sources(), facts }) })
  const { manifest } = await readManifest(subject.store, name, subject.key)
  expect(manifest.leftOut).toEqual([{ what: 'blobs/gone', reason: 'it was deleted while the backup ran' }])
})

test('a file that breaks off fails the backup, unless it is optional: then the manifest has the reason', async () => {
  const broken = async function* () {
    yield randomBytes(10_000)
    throw new Error('the disk is gone')
  }
  const sources = async function* (isOptional: boolean) {
    yield { path: 'disks/a', chunkBytes: 4096, isOptional, open: async () => broken() }
  }
  const writing = (isOptional: boolean) =>
    subject.write({}, { collect: async () => ({ files: sources(isOptional), facts }) })
  await expect(writing(false)).rejects.toThrow('the disk is gone')
  const { name } = await writing(true)
  const { manifest } = await readManifest(subject.store, name, subject.key)
  expect(manifest).toMatchObject({ files: [], leftOut: [{ what: 'disks/a', reason: 'the disk is gone' }] })
})

/** A store that fails at one of its writes, as after the end of the process, a full disk or a lost network. */
function failingAt(store: ObjectStore, number: number): ObjectStore {
  let writes = 0
  const fails = async <Result>(work: () => Promise<Result>) => {
    writes += 1
    if (writes === number) throw Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' })
    return await work()
  }
  return {
    ...store,
    put: (name, content) => fails(() => store.put(name, content)),
    writeLease: (text, over) => fails(() => store.writeLease(text, over)),
  }
}

test('a backup that breaks off at any of its writes leaves the earlier ones intact, and the next one works', async () => {
  const files = someFiles()
  const first = await subject.write(files)
  const verificationKey = verificationKeyOf(subject.machine.signingKey)
  let failures = 0
  for (let number = 1; ; number++) {
    subject.clock.now += 3_600_000
    const changed = { ...files, 'database/server.db': { content: randomBytes(300_000) } }
    const failed = await subject.write(changed, { store: failingAt(subject.store, number) }).catch((error) => error)
    if (!(failed instanceof Error)) break
    failures += 1
    expect(await listBackups(subject.store), `write ${number}`).toEqual([first.name])
  }
  expect(failures).toBeGreaterThan(6)
  const verified = await verifyBackups(subject.store, verificationKey)
  expect(verified.map(({ problems }) => problems)).toEqual([[], []])
  expect((await subject.restore(first.name)).content).toEqual(contentOf(files))
  subject.clock.now += 3_600_000
  const last = await subject.write(files)
  expect((await verifyContent(subject.store, last.name, subject.key)).problems).toEqual([])
})

test('of two writers one writes; the one that lost its lease ends without a backup', async () => {
  const lease = await takeLease({ store: subject.store, holder: 'another machine', now: subject.now })
  await expect(subject.write(someFiles())).rejects.toMatchObject({ code: 'backup.running' })
  await lease.release()
  const taking = {
    ...subject.store,
    put: async (...put: Parameters<ObjectStore['put']>) => {
      subject.clock.now += 16 * 60 * 1000
      await takeLease({ store: subject.store, holder: 'another machine', now: subject.now }).catch(() => undefined)
      return await subject.store.put(...put)
    },
  }
  await expect(subject.write(someFiles(), { store: taking })).rejects.toMatchObject({ code: 'backup.lease-lost' })
  expect(await listBackups(subject.store)).toEqual([])
  await expect(subject.write(someFiles())).rejects.toMatchObject({ code: 'backup.running' })
  subject.clock.now += 16 * 60 * 1000
  await expect(subject.write(someFiles())).resolves.toBeDefined()
})

test('a file of a backup can’t be written outside of the folder', async () => {
  for (const path of ['../out', '/etc/out', 'a/../../out', 'a//b']) {
    subject.clock.now += 1000
    const { name } = await subject.write({ [path]: { content: randomBytes(10) } })
    await expect(subject.restore(name)).rejects.toMatchObject({ code: 'backup.damaged' })
  }
  expect(await readdir(subject.directory)).not.toContain('out')
})

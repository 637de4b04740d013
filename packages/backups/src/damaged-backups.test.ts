import { randomBytes } from 'node:crypto'
import { copyFile, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeBackupSubject, type TestFiles } from './backups.test-utils.ts'
import { indexNameOf, manifestNameOf } from './manifest.ts'
import { pruneBackups } from './prune-backups.ts'
import { verificationKeyOf } from './recovery-key.ts'
import { objectName } from './sealed-object.ts'
import { listBackups, readIndex, readManifest } from './stored-backups.ts'
import { verifyBackups, verifyContent } from './verify-backups.ts'

let subject: Awaited<ReturnType<typeof makeBackupSubject>>
beforeEach(async () => {
  subject = await makeBackupSubject()
})
afterEach(() => subject[Symbol.asyncDispose]())

const files: TestFiles = {}
for (let number = 0; number < 40; number++) {
  files[`blobs/${number}`] = { content: randomBytes(9000 + number), version: '1' }
}
const verificationKey = () => verificationKeyOf(subject.machine.signingKey)
const at = (name: string) => join(subject.storeDirectory, name)
const problems = async () =>
  Object.fromEntries((await verifyBackups(subject.store, verificationKey())).map((one) => [one.name, one.problems]))

const damages: Record<string, (path: string, other: string) => Promise<void>> = {
  flipped: async (path) => {
    const bytes = await readFile(path)
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1
    await writeFile(path, bytes)
  },
  truncated: async (path) => await truncate(path, 200),
  emptied: async (path) => await truncate(path, 0),
  missing: async (path) => await rm(path),
  swapped: async (path, other) => {
    await rename(path, `${path}.kept`)
    await copyFile(other, path)
    await copyFile(`${path}.kept`, other)
    await rm(`${path}.kept`)
  },
}

test.each(Object.keys(damages))(
  'an object that is %s is found, and costs only the files that the report names',
  async (kind) => {
    const { name } = await subject.write(files)
    const { objects } = await readIndex(subject.store, name, verificationKey())
    expect(objects.length).toBeGreaterThan(3)
    const [first, second] = objects.map(([sha256]) => at(objectName(sha256)))
    await damages[kind]?.(first ?? '', second ?? '')
    const damaged = kind === 'swapped' ? 2 : 1
    expect((await problems())[name]).toHaveLength(damaged)
    const { content, lost } = await subject.restore(name)
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.length).toBeLessThan(30)
    const expected = Object.entries(files).filter(([path]) => !lost.some((one) => one.path === path))
    expect(content).toEqual(Object.fromEntries(expected.map(([path, file]) => [path, Buffer.from(file.content)])))
    const verified = await verifyContent(subject.store, name, subject.key)
    expect(verified.problems).toHaveLength(lost.length)
  },
)

test.each(['flipped', 'truncated', 'emptied', 'missing'])('a manifest or index that is %s is found', async (kind) => {
  const one = await subject.write(files)
  subject.clock.now += 1000
  const two = await subject.write(files)
  await damages[kind]?.(at(manifestNameOf(one.name)), '')
  if (kind !== 'missing') await damages[kind]?.(at(indexNameOf(two.name)), '')
  const found = await problems()
  expect(found[one.name]).toHaveLength(1)
  if (kind !== 'missing') expect(found[two.name]).toHaveLength(1)
  await expect(readManifest(subject.store, one.name, subject.key)).rejects.toMatchObject({ code: 'backup.damaged' })
})

test('a manifest put under another name, and one that was put back after its objects were removed, are found', async () => {
  const one = await subject.write(files)
  const kept = await Promise.all([manifestNameOf, indexNameOf].map((nameOf) => readFile(at(nameOf(one.name)))))
  subject.clock.now += 400 * 86_400_000
  const other: TestFiles = { 'blobs/other': { content: randomBytes(100_000), version: '1' } }
  const two = await subject.write(other)
  for (const [number, nameOf] of [manifestNameOf, indexNameOf].entries()) {
    await writeFile(at(nameOf('20991231T000000Z-00000000')), kept[number] ?? '')
  }
  expect((await problems())['20991231T000000Z-00000000']?.join()).toContain('under another name')
  await rm(at(manifestNameOf('20991231T000000Z-00000000')))
  await rm(at(indexNameOf('20991231T000000Z-00000000')))
  const retention = { daily: 1, weekly: 0, monthly: 0 }
  await pruneBackups({
    store: subject.store,
    verificationKey: verificationKey(),
    retention,
    holder: 't',
    now: subject.now,
  })
  for (const [number, nameOf] of [manifestNameOf, indexNameOf].entries()) {
    await writeFile(at(nameOf(one.name)), kept[number] ?? '')
  }
  const found = await problems()
  expect(found[two.name]).toEqual([])
  expect(found[one.name]?.every((problem) => problem.endsWith('missing'))).toBe(true)
  expect(found[one.name]?.length).toBeGreaterThan(3)
})

test('prune removes exactly what no backup needs, and after a day what an interrupted one left', async () => {
  const prune = () =>
    pruneBackups({
      store: subject.store,
      verificationKey: verificationKey(),
      retention: { daily: 2, weekly: 0, monthly: 0 },
      holder: 'test',
      now: subject.now,
    })
  subject.clock.now = Date.now()
  const shared = Object.fromEntries(Object.entries(files).slice(0, 20))
  const old = await subject.write({ ...shared, 'blobs/old': { content: randomBytes(200_000), version: '1' } })
  const objectsOf = async (name: string) => {
    const { objects } = await readIndex(subject.store, name, verificationKey())
    return objects.map(([sha256]) => sha256)
  }
  const ofOld = await objectsOf(old.name)
  subject.clock.now += 86_400_000
  const middle = await subject.write(shared)
  subject.clock.now += 86_400_000
  const last = await subject.write({ ...shared, 'blobs/new': { content: randomBytes(50_000), version: '1' } })
  const needed = new Set([...(await objectsOf(middle.name)), ...(await objectsOf(last.name))])
  const pruned = await prune()
  expect(pruned.backups).toEqual([old.name])
  expect(pruned.objects).toBe(ofOld.filter((object) => !needed.has(object)).length)
  expect(pruned.objects).toBeGreaterThan(0)
  const left = (await subject.objectFiles()).filter((name) => name.startsWith('objects/'))
  expect(left.map((name) => name.slice(-64)).toSorted()).toEqual([...needed].toSorted())
  expect(await listBackups(subject.store)).toEqual([last.name, middle.name])
  for (const { problems: found } of await verifyBackups(subject.store, verificationKey())) expect(found).toEqual([])
  expect(await prune()).toMatchObject({ backups: [], objects: 0 })
})

test('prune removes no object while a backup can’t be read, and none that is younger than a day', async () => {
  const { name } = await subject.write(files)
  await damages.flipped?.(at(indexNameOf(name)), '')
  subject.clock.now = Date.now() + 3 * 86_400_000
  const options = { store: subject.store, verificationKey: verificationKey(), holder: 'test', now: subject.now }
  const retention = { daily: 1, weekly: 0, monthly: 0 }
  expect(await pruneBackups({ ...options, retention })).toMatchObject({ objects: 0, kept: 1 })
  await rm(at(indexNameOf(name)))
  subject.clock.now = Date.now()
  expect(await pruneBackups({ ...options, retention })).toMatchObject({ objects: 0 })
  subject.clock.now = Date.now() + 3 * 86_400_000
  expect((await pruneBackups({ ...options, retention })).objects).toBeGreaterThan(3)
  expect(await subject.objectFiles()).toEqual([])
})

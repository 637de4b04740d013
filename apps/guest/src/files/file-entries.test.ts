import { mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEntry, listPage } from './file-entries.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'threadbox-entries-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a directory is listed in pages ordered by name, each saying where the next one begins', async () => {
  for (const name of ['b', 'a', 'd', 'c', 'line\nbreak']) await writeFile(join(folder, name), '')
  const first = await listPage({ path: folder, after: '', limit: 2 })
  expect(first.entries.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(first).toMatchObject({ total: 5, next: 'b' })
  const rest = await listPage({ path: folder, after: 'b', limit: 10 })
  expect(rest.entries.map(({ name }) => name)).toEqual(['c', 'd', 'line\nbreak'])
  expect(rest.next).toBeUndefined()
})

test('a file’s modification time is exact to the nanosecond, also before 1970', async () => {
  const path = join(folder, 'old')
  await writeFile(path, 'x')
  await utimes(path, new Date(-1250), new Date(-1250))
  expect((await describeEntry(path)).modifiedTime).toMatchObject({ seconds: -2n, nanos: 750_000_000 })
})

test('a symbolic link is described as its target, a dangling one as itself', async () => {
  await writeFile(join(folder, 'target'), 'four')
  await symlink('target', join(folder, 'link'))
  await symlink('none', join(folder, 'broken'))
  expect(await describeEntry(join(folder, 'link'))).toMatchObject({ size: 4n, symlinkTarget: join(folder, 'target') })
  const broken = await describeEntry(join(folder, 'broken'))
  expect(broken.permissions).toMatch(/^L/)
})

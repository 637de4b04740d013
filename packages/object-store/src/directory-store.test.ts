import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDirectoryStore } from './directory-store.ts'
import { describeObjectStore } from './object-store.test-suite.ts'
import { contentOf } from './object-store.ts'
import { openStore } from './open-store.ts'

describeObjectStore({
  name: 'folders',
  setUp: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'threadbox-store-'))
    return {
      open: () => openDirectoryStore({ directory, outside: [] }),
      tearDown: () => rm(directory, { recursive: true, force: true }),
    }
  },
})

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-store-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const open = (path: string, outside: string[] = []) => openDirectoryStore({ directory: path, outside })

test('a file, a missing folder, what another program wrote and a newer format are refused, and nothing is changed', async () => {
  await writeFile(join(directory, 'file'), 'x')
  await expect(open(join(directory, 'file'))).rejects.toMatchObject({ code: 'store.not-a-folder' })
  await expect(open(join(directory, 'none'))).rejects.toMatchObject({ code: 'store.not-a-folder' })
  await expect(open(directory)).rejects.toMatchObject({ code: 'store.of-other-program' })
  const newer = join(directory, 'newer')
  await mkdir(newer)
  await writeFile(join(newer, 'format'), 'threadbox-store 2\n')
  await expect(open(newer)).rejects.toMatchObject({ code: 'store.format-newer' })
  await writeFile(join(newer, 'format'), 'restic 1\n')
  await expect(open(newer)).rejects.toMatchObject({ code: 'store.of-other-program' })
  expect([await readdir(directory), await readdir(newer)]).toEqual([['file', 'newer'], ['format']])
})

test('a folder inside the installation is refused, also through a link', async () => {
  const inside = join(directory, 'data/backups')
  await mkdir(inside, { recursive: true })
  await symlink(inside, join(directory, 'elsewhere'))
  for (const path of [inside, join(directory, 'data'), join(directory, 'elsewhere')]) {
    await expect(open(path, [join(directory, 'data')])).rejects.toMatchObject({ code: 'store.inside-installation' })
  }
  await mkdir(join(directory, 'data-2'))
  await expect(open(join(directory, 'data-2'), [join(directory, 'data')])).resolves.toBeDefined()
})

test('an object that breaks off leaves neither itself nor a draft', async () => {
  const store = await open(directory)
  const { body, sha256 } = await contentOf('x')
  const broken = Object.assign(body, {
    stream: () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('half')),
        pull: (controller) => controller.error(new Error('disk lost')),
      }),
  })
  await expect(store.put('objects/aa/1', { body: broken, sha256 })).rejects.toThrow('disk lost')
  expect(await readdir(join(directory, 'drafts'))).toEqual([])
  expect(await store.get('objects/aa/1')).toBeUndefined()
  expect(await readFile(join(directory, 'format'), 'utf8')).toBe('threadbox-store 1\n')
})

test.each([
  'relative/path',
  'ftp://host/bucket',
  's3+https://host',
  's3+https://host/b',
  's3+https://key:secret@host/bucket',
  's3+https://host/bucket/a%2fb',
  's3+https://host/buck..et',
])('the address %j is refused', async (place) => {
  const access = { accessKeyId: 'key', secretAccessKey: 'secret' }
  await expect(openStore(place, { outside: [], access })).rejects.toMatchObject({ code: 'store.address-invalid' })
})

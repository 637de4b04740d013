import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ObjectStore, openDirectoryStore } from '@threadbox/object-store'
import { makeKeys, parseRecoveryKey } from './recovery-key.ts'
import { restoreFiles } from './restore-files.ts'
import { readManifest } from './stored-backups.ts'
import { type WriteBackupOptions, writeBackup } from './write-backup.ts'

/** Files by path, which a test changes between backups. */
export type TestFiles = Record<string, { content: Uint8Array; version?: string }>

export async function makeBackupSubject() {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-backups-'))
  const storeDirectory = join(directory, 'store')
  await mkdir(storeDirectory)
  const store = await openDirectoryStore({ directory: storeDirectory, outside: [] })
  const { recoveryKey, machine } = await makeKeys()
  const key = parseRecoveryKey(recoveryKey)
  const clock = { now: Date.parse('2026-11-01T12:00:00Z') }
  const now = () => clock.now
  const write = (files: TestFiles, options: Partial<WriteBackupOptions> = {}) =>
    writeBackup({
      store,
      keys: machine,
      workDirectory: join(directory, 'work'),
      holder: 'test',
      id: randomBytes(4).toString('hex'),
      now,
      packBytes: 64 * 1024,
      collect: async () => ({ files: sourcesOf(files), facts }),
      ...options,
    })
  return {
    directory,
    storeDirectory,
    store,
    key,
    recoveryKey,
    machine,
    clock,
    now,
    write,
    restore: (name: string, from: ObjectStore = store) => restoreAll({ store: from, name, key, directory }),
    objectFiles: async () => (await readdir(storeDirectory, { recursive: true })).filter((name) => name.length > 60),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

export async function* sourcesOf(files: TestFiles) {
  for (const [path, { content, version }] of Object.entries(files)) {
    yield {
      path,
      chunkBytes: 4096,
      open: async () => Readable.from([content]),
      ...(version === undefined ? {} : { version }),
    }
  }
}

export const facts = () => ({
  version: '1.0.0',
  installation: 'test00',
  database: { kind: 'sqlite' as const, migrations: [], takenAt: 0 },
  counts: {},
  leftOut: [],
})

async function restoreAll(of: {
  store: ObjectStore
  name: string
  key: ReturnType<typeof parseRecoveryKey>
  directory: string
}) {
  const { manifest } = await readManifest(of.store, of.name, of.key)
  const target = await mkdtemp(join(of.directory, 'restored-'))
  const { lost } = await restoreFiles({ store: of.store, manifest, identity: of.key.identity, directory: target })
  const content: Record<string, Buffer> = {}
  for (const { path } of manifest.files) {
    const bytes = await readFile(join(target, path)).catch(() => undefined)
    if (bytes !== undefined) content[path] = bytes
  }
  return { content, lost }
}

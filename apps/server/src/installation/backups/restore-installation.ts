import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type LostFile, type Manifest, parseRecoveryKey, readManifest, restoreFiles } from '@threadbox/backups'
import { defineError } from '@threadbox/errors'
import type { ObjectStore } from '@threadbox/object-store'
import { sql } from 'kysely'
import { type OpenDatabase, openDatabase } from '../../platform/database/database.ts'
import { type DatabaseTarget, databasePaths, fillDatabase } from './database-copy.ts'
import { openMachineFiles } from './machine-files.ts'
import { settleRestored } from './restored-rows.ts'

export const restoreOverData = defineError<{ people: number }>({
  code: 'backup.restore-over-data',
  kind: 'conflict',
  message: ({ people }) => `This installation is in use. Accounts in it: ${people}.`,
  remedy: () => 'Restore into a new installation, of which no person has an account yet.',
})

export const restoreOfNewer = defineError<{ version: string; migrations: string }>({
  code: 'backup.of-newer-release',
  kind: 'unsupported',
  message: ({ version, migrations }) =>
    `This backup was written by a newer release (${version}), with tables that this one doesn’t know: ${migrations}`,
  remedy: () => 'Restore it with the release that wrote it, or a later one.',
})

export const restoreOtherDatabase = defineError<{ kind: string; wanted: string }>({
  code: 'backup.other-database',
  kind: 'invalid',
  message: ({ kind, wanted }) => `The backup has a database of the kind ${kind}, and this installation uses ${wanted}.`,
  remedy: () =>
    'Set DATABASE_URL in threadbox.env if the backup is of Postgres, or remove it, and run the command again.',
})

export const restoreDatabaseLost = defineError<{ reason: string }>({
  code: 'backup.database-lost',
  kind: 'invalid',
  message: ({ reason }) => `The database can’t be restored from this backup: ${reason}`,
  remedy: () => 'Restore an earlier backup. Nothing was changed.',
})

export type RestoreOptions = {
  store: ObjectStore
  name: string
  recoveryKey: string
  directory: string
  database: DatabaseTarget
  /** The migrations that this release knows. */
  migrations: readonly string[]
  migrate(open: OpenDatabase): Promise<void>
  /** Share links are revoked, schedules and webhooks turned off, so that two installations never act as one. */
  asCopy: boolean
  now: () => number
}

export type Restored = { manifest: Manifest; lost: LostFile[]; files: number }

/** What stays for the steps after this one: disks, and what only root may place. */
export const stagingFolder = (directory: string) => join(directory, 'backups/restoring')
/** Exists once database, keys and blobs are in their places. The launcher removes it after the disks. */
const doneFile = (directory: string) => join(directory, 'backups/restored')

/**
 * Restores database, keys and blobs into the folder of a server that has no accounts. Everything is decrypted and checked aside
 * before the first file of the installation is replaced.
 */
export async function restoreInstallation(options: RestoreOptions): Promise<Restored> {
  const { store, directory, database } = options
  await refuseOverData(database)
  const key = parseRecoveryKey(options.recoveryKey)
  const { manifest } = await readManifest(store, options.name, key)
  refuseOther(manifest, options)
  const staging = stagingFolder(directory)
  await rm(staging, { recursive: true, force: true })
  const { lost, restored } = await restoreFiles({ store, manifest, identity: key.identity, directory: staging })
  const lostDatabase = lost.find(({ path }) => path === databasePaths[manifest.database.kind])
  if (lostDatabase !== undefined) {
    await rm(staging, { recursive: true, force: true })
    throw restoreDatabaseLost({ reason: lostDatabase.reason })
  }
  await openMachineFiles(staging, key.identity)
  await placeFiles(staging, directory)
  await placeDatabase(options, { staging, manifest })
  await writeFile(doneFile(directory), `${manifest.name}\n`)
  return { manifest, lost, files: restored }
}

async function refuseOverData(target: DatabaseTarget): Promise<void> {
  if ('file' in target && (await readFile(target.file).catch(() => undefined)) === undefined) return
  const open = openDatabase(target)
  try {
    const tables = await open.database.introspection.getTables()
    if (!tables.some(({ name }) => name === 'users')) return
    const { rows } = await sql<{ count: number }>`select count(*) as count from users`.execute(open.database)
    const people = Number(rows[0]?.count ?? 0)
    if (people > 0) throw restoreOverData({ people })
  } finally {
    await open.close()
  }
}

function refuseOther({ version, database }: Manifest, options: RestoreOptions): void {
  const unknown = database.migrations.filter((name) => !options.migrations.includes(name))
  if (unknown.length > 0) throw restoreOfNewer({ version, migrations: unknown.join(', ') })
  const wanted = 'file' in options.database ? 'sqlite' : 'postgres'
  if (database.kind !== wanted) throw restoreOtherDatabase({ kind: database.kind, wanted })
}

/** Keys, then blobs, whose folder is replaced as a whole. */
async function placeFiles(staging: string, directory: string): Promise<void> {
  for (const name of await readdir(join(staging, 'keys')).catch(() => [])) {
    await copyFile(join(staging, 'keys', name), join(directory, `${name}.restored`))
    await rename(join(directory, `${name}.restored`), join(directory, name))
  }
  await rm(join(directory, 'blobs'), { recursive: true, force: true })
  const blobs = join(staging, 'blobs')
  await mkdir(blobs, { recursive: true, mode: 0o700 })
  await rename(blobs, join(directory, 'blobs'))
  // The one-time link of the new installation would sign a second owner up.
  await rm(join(directory, 'owner-token'), { force: true })
}

async function placeDatabase(
  options: RestoreOptions,
  { staging, manifest }: { staging: string; manifest: Manifest },
): Promise<void> {
  const { database } = options
  const copy = join(staging, databasePaths[manifest.database.kind])
  if ('file' in database) {
    await settle({ file: copy }, options)
    for (const end of ['-wal', '-shm']) await rm(`${database.file}${end}`, { force: true })
    await rename(copy, database.file)
    await syncFolder(dirname(database.file))
    return
  }
  await emptyDatabase(database.url)
  await fillDatabase(copy, database.url)
  await settle(database, options)
}

async function settle(target: DatabaseTarget, options: RestoreOptions): Promise<void> {
  const open = openDatabase(target)
  try {
    await options.migrate(open)
    await settleRestored(open.database, options)
  } finally {
    await open.close()
  }
}

/** Tables of the new installation, which no person has used. */
async function emptyDatabase(url: string): Promise<void> {
  const open = openDatabase({ url })
  try {
    await sql`drop schema public cascade`.execute(open.database)
    await sql`create schema public`.execute(open.database)
  } finally {
    await open.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

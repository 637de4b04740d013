import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupFacts, type SourceFile, type WrittenBackup, writeBackup } from '@threadbox/backups'
import type { ObjectStore } from '@threadbox/object-store'
import { type Kysely, sql } from 'kysely'
import { type DatabaseKind, openDatabase } from '../../platform/database/database.ts'
import type { BackupSettings } from './backup-settings.ts'
import { copyDatabase, type DatabaseTarget, databasePaths } from './database-copy.ts'
import { type DiskHost, type DiskSources, diskSources } from './disk-sources.ts'
import { holdBlobs } from './held-blobs.ts'
import { machineFilesOf, machineFilesPath } from './machine-files.ts'

export type BackUpOptions = {
  store: ObjectStore
  settings: Pick<BackupSettings, 'keys'>
  /** The server’s folder: database, blobs, keys. */
  directory: string
  database: DatabaseTarget
  /** Null: without disks, which the manifest then says. */
  host: DiskHost | null
  version: string
  installation: string
  newId(kind: 'backup' | 'snapshot'): string
  now: () => number
  packBytes?: number
  progress?(done: { files: number; bytes: number }): void
}

/** Backs up a running installation. Files that change are copied or held first; nothing that runs is stopped. */
export async function backUpInstallation(options: BackUpOptions): Promise<WrittenBackup> {
  const { directory, settings } = options
  const workDirectory = join(directory, 'backups')
  await mkdir(workDirectory, { recursive: true, mode: 0o700 })
  const held = join(workDirectory, 'held')
  try {
    return await writeBackup({
      ...options,
      keys: settings.keys,
      workDirectory,
      holder: `the installation ${options.installation}`,
      id: options.newId('backup'),
      collect: () => collect(options, held),
    })
  } finally {
    await rm(held, { recursive: true, force: true })
  }
}

async function collect(options: BackUpOptions, held: string) {
  const { directory, database, now } = options
  const blobs = await holdBlobs(join(directory, 'blobs'), join(held, 'blobs'))
  const kind: DatabaseKind = 'file' in database ? 'sqlite' : 'postgres'
  const copy = join(held, 'database')
  // Before the database: the file with the end of the audit log can be behind it, never ahead.
  const auditHead = join(held, 'audit.head')
  const hasAuditHead = await copyFile(join(directory, 'audit.head'), auditHead).then(
    () => true,
    () => false,
  )
  const takenAt = now()
  await copyDatabase(database, copy)
  await blobs.complete()
  const hasMachineFiles = existsSync(machineFilesOf(directory))
  const { migrations, counts } = await readFacts(database)
  const disks = options.host === null ? null : diskSources(options.host, () => options.newId('snapshot'))
  const facts = (): BackupFacts => ({
    version: options.version,
    installation: options.installation,
    database: { kind, migrations, takenAt },
    counts: { ...counts, disks: disks?.rows.length ?? 0 },
    leftOut: [
      ...(disks?.leftOut ?? [{ what: 'the disks of all sandboxes', reason: 'no host was named' }]),
      ...(hasMachineFiles ? [] : [machineLeftOut]),
      memoryLeftOut,
    ],
  })
  const files = async function* (): AsyncIterable<SourceFile> {
    yield readFile(databasePaths[kind], copy, 256 * 1024)
    yield readFile('keys/master.key', join(directory, 'master.key'), 4096)
    if (hasAuditHead) yield readFile('keys/audit.head', auditHead, 4096)
    if (hasMachineFiles) yield readFile(machineFilesPath, machineFilesOf(directory), 64 * 1024)
    yield* blobs.files()
    if (disks !== null) yield* diskFiles(disks)
  }
  return { files: files(), facts }
}

const machineLeftOut = {
  what: 'the machine’s settings and certificate authority',
  reason: 'run ./threadbox backup run once',
}
const memoryLeftOut = { what: 'the memory of sandboxes', reason: 'only files are backed up' }

/** The list comes last: only then is known which disks could be read. */
async function* diskFiles(disks: DiskSources): AsyncIterable<SourceFile> {
  yield* disks.files()
  const list = async function* () {
    yield Buffer.from(JSON.stringify(disks.rows))
  }
  yield { path: 'disks.json', chunkBytes: 64 * 1024, open: async () => list() }
}

function readFile(path: string, file: string, chunkBytes: number): SourceFile {
  return { path, chunkBytes, open: async () => createReadStream(file, { highWaterMark: 1024 * 1024 }) }
}

async function readFacts(target: DatabaseTarget): Promise<{ migrations: string[]; counts: Record<string, number> }> {
  const open = openDatabase(target)
  try {
    const database: Kysely<unknown> = open.database
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database)
    const counts: Record<string, number> = {}
    for (const [name, table] of [
      ['people', 'users'],
      ['threads', 'threads'],
    ] as const) {
      const found = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(database)
      counts[name] = Number(found.rows[0]?.count ?? 0)
    }
    return { migrations: rows.map(({ name }) => name), counts }
  } finally {
    await open.close()
  }
}

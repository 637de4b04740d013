import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrate } from './migrations.registry.ts'
import { type OpenDatabase, openDatabase } from './platform/database/database.ts'

/** An embedded database in memory with the product's tables. Running all migrations takes longer than most tests. */
export async function openMigrated(): Promise<OpenDatabase> {
  migrated ??= makeMigrated()
  return openDatabase({ file: await migrated })
}

let migrated: Promise<Buffer> | undefined

/** The content of a migrated database file. */
async function makeMigrated(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-migrated-'))
  const open = openDatabase({ file: ':memory:' })
  try {
    await migrate(open)
    const file = join(directory, 'server.db')
    await sql`vacuum into ${file}`.execute(open.database)
    return await readFile(file)
  } finally {
    await open.close()
    await rm(directory, { recursive: true, force: true })
  }
}

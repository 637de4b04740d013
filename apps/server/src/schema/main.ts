import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrate, migrationNames } from '../migrations.registry.ts'
import { type OpenDatabase, openDatabase } from '../platform/database/database.ts'
import { installedDatabase } from '../platform/database/installed-database.ts'
import { migrationsOf, setAsideMigrations } from '../platform/database/set-aside.ts'

const usage = `Usage: schema list            the migrations that the database has
       schema try             migrates a copy of the database, and removes it
       schema set-aside FILE  hides the migrations that FILE does not list from a release that doesn’t know them`

/**
 * What the launcher needs to know of the database before it changes the release, and does before it changes it back. `try`
 * works beside a running server; for `set-aside` it must be stopped.
 */
async function main(): Promise<void> {
  const [command, file = ''] = process.argv.slice(2)
  const { directory, exists, ...installed } = installedDatabase(process.env)
  if (!exists) return
  const open = installed.open()
  try {
    if (command === 'list') return print(await migrationsOf(open.database))
    if (command === 'try') return print(await tryMigrations(open, directory))
    if (command === 'set-aside') {
      const kept = (await readFile(file, 'utf8')).split('\n').filter((name) => name !== '')
      return print(await setAsideMigrations(open.database, kept))
    }
    throw new Error(usage)
  } finally {
    await open.close()
  }
}

/** Returns the migrations that the copy got. In Postgres a migration that fails is undone as a whole, without a copy. */
async function tryMigrations(open: OpenDatabase, directory: string): Promise<string[]> {
  const missing = new Set(migrationNames)
  for (const name of await migrationsOf(open.database)) missing.delete(name)
  if (missing.size === 0 || open.kind === 'postgres') return [...missing]
  const folder = await mkdtemp(join(directory, '.upgrade-'))
  try {
    const file = join(folder, 'copy.db')
    await sql`vacuum into ${file}`.execute(open.database)
    const copy = openDatabase({ file })
    try {
      await migrate(copy)
    } finally {
      await copy.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return [...missing]
}

function print(names: readonly string[]): void {
  for (const name of names) process.stdout.write(`${name}\n`)
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})

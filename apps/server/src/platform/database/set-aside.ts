import { type Kysely, sql } from 'kysely'
import { lockUntilEnd } from './database.ts'

/**
 * A migration adds only what the previous release ignores, so that release can go back to work on the same tables. It still
 * refuses a database with migrations it doesn’t know: their names are set aside while it is in use. The tables stay.
 */
type SchemaTables = {
  kysely_migration: { name: string; timestamp: string }
  migrations_set_aside: { name: string; timestamp: string }
}

/** Names of the migrations that this database has, oldest first. Empty for a new database. */
export async function migrationsOf(database: Kysely<unknown>): Promise<string[]> {
  const tables = database as Kysely<SchemaTables>
  if (!(await hasTable(database, 'kysely_migration'))) return []
  const rows = await tables.selectFrom('kysely_migration').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Sets aside the names of all migrations but these. Returns them. Nothing may be using the database. */
export async function setAsideMigrations(database: Kysely<unknown>, kept: readonly string[]): Promise<string[]> {
  return await (database as Kysely<SchemaTables>).transaction().execute(async (transaction) => {
    // The launcher and a server that starts can do this at the same time.
    await lockUntilEnd(transaction, 'migrations', ['set-aside'])
    await sql`create table if not exists migrations_set_aside (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      transaction,
    )
    const rows = await transaction.selectFrom('kysely_migration').selectAll().orderBy('name').execute()
    const newer = rows.filter(({ name }) => !kept.includes(name))
    for (const row of newer) {
      await transaction
        .insertInto('migrations_set_aside')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await transaction.deleteFrom('kysely_migration').where('name', '=', row.name).execute()
    }
    return newer.map(({ name }) => name)
  })
}

/** Puts back the names that were set aside, before a release that knows them migrates. Others stay set aside. */
export async function putBackMigrations(database: Kysely<unknown>, known: readonly string[]): Promise<void> {
  if (!(await hasTable(database, 'migrations_set_aside'))) return
  await (database as Kysely<SchemaTables>).transaction().execute(async (transaction) => {
    // Of two servers that start at the same time, one finds none.
    const rows = await transaction
      .deleteFrom('migrations_set_aside')
      .where('name', 'in', known)
      .returningAll()
      .execute()
    if (rows.length > 0) await transaction.insertInto('kysely_migration').values(rows).execute()
  })
}

async function hasTable(database: Kysely<unknown>, name: string): Promise<boolean> {
  return (await database.introspection.getTables({ withInternalKyselyTables: true })).some(
    (table) => table.name === name,
  )
}

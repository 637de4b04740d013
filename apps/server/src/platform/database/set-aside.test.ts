import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate, migrationNames } from '../../migrations.registry.ts'
import { onBothDatabases } from './both-databases.test-utils.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { migrationsOf, putBackMigrations, setAsideMigrations } from './set-aside.ts'

onBothDatabases((target) => {
  let open: OpenDatabase
  beforeEach(async () => {
    const { databaseUrl } = await target()
    open = openDatabase(databaseUrl === undefined ? { file: ':memory:' } : { url: databaseUrl })
  })
  afterEach(() => open.close())

  test('O12: a new database has no migrations', async () => {
    expect(await migrationsOf(open.database)).toEqual([])
  })

  test('O12: migrations that are set aside are put back before the next start, and none runs twice', async () => {
    await migrate(open)
    const kept = migrationNames.slice(0, -3)
    expect(await setAsideMigrations(open.database, kept)).toEqual(migrationNames.slice(-3))
    expect(await migrationsOf(open.database)).toEqual(kept)
    // As after a kill: setting aside again changes nothing.
    expect(await setAsideMigrations(open.database, kept)).toEqual([])
    await migrate(open)
    expect(await migrationsOf(open.database)).toEqual(migrationNames)
  })

  test('O12: a release leaves aside what it doesn’t know, and starts again and again', async () => {
    await migrate(open)
    await addMigration('9000-of-a-newer-release')
    await expect(migrate(open)).rejects.toThrow('9000-of-a-newer-release')
    expect(await setAsideMigrations(open.database, migrationNames)).toEqual(['9000-of-a-newer-release'])
    for (const _ of [1, 2]) {
      await migrate(open)
      expect(await migrationsOf(open.database)).toEqual(migrationNames)
    }
    await putBackMigrations(open.database, [...migrationNames, '9000-of-a-newer-release'])
    expect(await migrationsOf(open.database)).toEqual([...migrationNames, '9000-of-a-newer-release'])
  })

  test('O12: two programs that set the same aside at the same time do it once', async () => {
    await migrate(open)
    await Promise.all([setAsideMigrations(open.database, []), setAsideMigrations(open.database, [])])
    await migrate(open)
    expect(await migrationsOf(open.database)).toEqual(migrationNames)
  })

  test('O12: two servers that start at the same time put them back once', async () => {
    await migrate(open)
    await setAsideMigrations(open.database, migrationNames.slice(0, 5))
    await Promise.all([migrate(open), migrate(open)])
    expect(await migrationsOf(open.database)).toEqual(migrationNames)
  })

  async function addMigration(name: string) {
    const timestamp = new Date(0).toISOString()
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(open.database)
  }
}, 'empty')

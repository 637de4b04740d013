import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, test } from 'vitest'
import { openSqlite } from './open-sqlite.ts'

type Tables = { notes: { text: string } }

test('a database in a file keeps what was written, and others that have it open see it', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-sqlite-'))
  const open = () => {
    const { connection, dialect } = openSqlite(path.join(directory, 'file'))
    connection.exec('create table if not exists notes (text text primary key) strict')
    return new Kysely<Tables>({ dialect })
  }
  const [one, other] = [open(), open()]
  await Promise.all(['a', 'b', 'c'].map((text) => one.insertInto('notes').values({ text }).execute()))
  expect(await other.selectFrom('notes').selectAll().execute()).toHaveLength(3)
  await other.deleteFrom('notes').where('text', '=', 'a').execute()
  await Promise.all([one.destroy(), other.destroy()])
  const again = open()
  expect(await again.selectFrom('notes').selectAll().execute()).toEqual([{ text: 'b' }, { text: 'c' }])
  await again.destroy()
  await rm(directory, { recursive: true })
})

test('databases in memory, and from the content of a file, have nothing to wait for', async () => {
  const { connection, dialect } = openSqlite(':memory:')
  connection.exec('create table notes (text text primary key) strict')
  const database = new Kysely<Tables>({ dialect })
  await database.insertInto('notes').values({ text: 'one' }).execute()
  const copy = new Kysely<Tables>({ dialect: openSqlite(connection.serialize()).dialect })
  await copy.insertInto('notes').values({ text: 'two' }).execute()
  expect(await copy.selectFrom('notes').selectAll().execute()).toHaveLength(2)
  await Promise.all([database.destroy(), copy.destroy()])
})

test('a migration that fails leaves nothing, of itself and of those before it', async () => {
  const { dialect } = openSqlite(':memory:')
  const database = new Kysely<unknown>({ dialect })
  const addTable = (name: string) => async (db: Kysely<unknown>) =>
    await db.schema.createTable(name).addColumn('id', 'text').execute()
  const migrations = {
    '1': { up: addTable('one') },
    '2': {
      up: async (db: Kysely<unknown>) => {
        await addTable('two')(db)
        throw new Error('full disk')
      },
    },
  }
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } })
  expect((await migrator.migrateToLatest()).error).toMatchObject({ message: 'full disk' })
  expect((await database.introspection.getTables()).map(({ name }) => name)).toEqual([])
  await database.destroy()
})

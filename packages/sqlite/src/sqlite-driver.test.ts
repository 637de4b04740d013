import { setImmediate as turn } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeDialect, withoutDiskWait } from './open-sqlite.ts'

type Tables = { notes: { text: string } }

/** A real database over a disk that is done when the test says so. */
let database: Kysely<Tables>
let syncs: PromiseWithResolvers<void>[]
beforeEach(() => {
  syncs = []
  const connection = new SqliteDatabase(':memory:')
  connection.exec('create table notes (text text primary key) strict')
  const sync = () => {
    const begun = Promise.withResolvers<void>()
    syncs.push(begun)
    return begun.promise
  }
  database = new Kysely<Tables>({ dialect: makeDialect({ connection, sync, close: async () => undefined }) })
})
afterEach(async () => {
  for (const sync of syncs) sync.resolve()
  await database.destroy()
})

const insert = (text: string, into: Kysely<Tables> = database) => into.insertInto('notes').values({ text }).execute()
const notes = async () =>
  (await database.selectFrom('notes').select('text').orderBy('text').execute()).map(({ text }) => text)
/** Whether it ends before the disk is done. */
async function ends(work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false
  void work.finally(() => {
    hasEnded = true
  })
  for (let turns = 0; turns < 20; turns++) await turn()
  return hasEnded
}

test('a write waits for the disk, and does not keep others from reading and writing', async () => {
  const writing = insert('one')
  expect(await ends(writing)).toBe(false)
  const next = database.transaction().execute((transaction) => insert('two', transaction))
  expect(await ends(next)).toBe(false)
  expect(await notes()).toEqual(['one', 'two'])
  expect(syncs).toHaveLength(1)
  syncs[0]?.resolve()
  await writing
  expect(await ends(next)).toBe(false)
  syncs[1]?.resolve()
  await next
})

test('reads, and writes that change nothing or are rolled back, do not wait', async () => {
  await notes()
  await database.deleteFrom('notes').where('text', '=', 'unknown').execute()
  await sql`select count(*) from notes`.execute(database)
  const failed = database.transaction().execute(async (transaction) => {
    await insert('one', transaction)
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  await expect(
    database.transaction().execute((transaction) => insert('two', transaction).then(() => insert('two', transaction))),
  ).rejects.toThrow('UNIQUE')
  expect([await notes(), syncs]).toEqual([[], []])
})

test('a write that returns rows waits', async () => {
  const returning = database.insertInto('notes').values({ text: 'one' }).returning('text').executeTakeFirst()
  expect(await ends(returning)).toBe(false)
  syncs[0]?.resolve()
  expect(await returning).toEqual({ text: 'one' })
})

test('a transaction that only reads waits for what it can have read', async () => {
  const writing = insert('one')
  const seeing = database.transaction().execute((transaction) => transaction.selectFrom('notes').selectAll().execute())
  expect(await ends(seeing)).toBe(false)
  syncs[0]?.resolve()
  expect(await seeing).toEqual([{ text: 'one' }])
  await writing
  expect(syncs).toHaveLength(1)
})

test('transactions that begin at the same time run one after the other', async () => {
  const seen: string[] = []
  const transact = (name: string) =>
    database.transaction().execute(async (transaction) => {
      seen.push(`${name} begins`)
      await insert(name, transaction)
      await turn()
      seen.push(`${name} ends`)
    })
  const both = Promise.all([transact('one'), transact('two')])
  expect(await ends(both)).toBe(false)
  expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  for (const sync of syncs) sync.resolve()
  await turn()
  for (const sync of syncs) sync.resolve()
  await both
})

test('what need not wait does not, and what it begins besides waits', async () => {
  let besides: Promise<unknown> = Promise.resolve()
  await withoutDiskWait(database, async (connection) => {
    await insert('one', connection)
    besides = insert('two')
  })
  expect(await ends(besides)).toBe(false)
  expect([await notes(), syncs.length]).toEqual([['one', 'two'], 1])
  syncs[0]?.resolve()
  await besides
})

test('those that need not wait do not make others wait, nor stop waiting when they fail', async () => {
  await withoutDiskWait(database, (connection) => insert('one', connection))
  await database.transaction().execute((transaction) => transaction.selectFrom('notes').selectAll().execute())
  expect(syncs).toEqual([])
  await expect(withoutDiskWait(database, (connection) => insert('one', connection))).rejects.toThrow('UNIQUE')
  const mixed = Promise.all([withoutDiskWait(database, (connection) => insert('two', connection)), insert('three')])
  expect(await ends(mixed)).toBe(false)
  syncs[0]?.resolve()
  await mixed
})

test('a disk that fails makes every later write fail, and no read', async () => {
  const failing = expect(insert('one')).rejects.toThrow('EIO')
  await turn()
  syncs[0]?.reject(new Error('EIO: i/o error, fdatasync'))
  await failing
  await expect(insert('two')).rejects.toThrow('EIO')
  expect(await notes()).toEqual(['one', 'two'])
  await expect(database.destroy()).rejects.toThrow('EIO')
  const connection = new SqliteDatabase(':memory:')
  database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) })
})

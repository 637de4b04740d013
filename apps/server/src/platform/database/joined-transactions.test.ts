import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onBothDatabases } from './both-databases.test-utils.ts'
import { type OpenDatabase, openDatabase, tablesOf } from './database.ts'

type Tables = { notes: { text: string } }

onBothDatabases((target) => {
  let open: OpenDatabase
  beforeEach(async () => {
    const { databaseUrl } = await target()
    open = openDatabase(databaseUrl === undefined ? { file: ':memory:' } : { url: databaseUrl })
    await sql`create table notes (text text not null)`.execute(open.database)
  })
  afterEach(() => open.close())

  const database = () => tablesOf<Tables>(open.database)
  const add = (text: string) => database().insertInto('notes').values({ text }).execute()
  const notes = async () => (await database().selectFrom('notes').select('text').execute()).map(({ text }) => text)
  const failing = () => Promise.reject(new Error('stop'))

  test('a failure rolls back what the work did through the plain database', async () => {
    await expect(open.transaction(async () => [await add('a'), await failing()])).rejects.toThrow('stop')
    expect(await notes()).toEqual([])
  })

  test('a failed inner transaction rolls back only its own work', async () => {
    await open.transaction(async () => {
      await add('outer')
      await expect(
        database()
          .transaction()
          .execute(async (inner) => {
            await inner.insertInto('notes').values({ text: 'inner' }).execute()
            await failing()
          }),
      ).rejects.toThrow('stop')
      await open.transaction(() => add('second'))
    })
    expect(await notes()).toEqual(['outer', 'second'])
  })

  test('a committed inner transaction is rolled back with the outer one', async () => {
    const work = open.transaction(async () => {
      await database()
        .transaction()
        .execute((inner) => inner.insertInto('notes').values({ text: 'inner' }).execute())
      await failing()
    })
    await expect(work).rejects.toThrow('stop')
    expect(await notes()).toEqual([])
  })

  test('work outside of a running transaction is not part of it', async () => {
    const outside = Promise.withResolvers<void>()
    const inside = open.transaction(async () => {
      await add('inside')
      await outside.promise
      await failing()
    })
    const other = add('other')
    outside.resolve()
    await expect(inside).rejects.toThrow('stop')
    await other
    expect(await notes()).toEqual(['other'])
  })

  test('work that outlives its transaction gets a connection of its own', async () => {
    const ended = Promise.withResolvers<void>()
    const late = await open.transaction(async () => ({ work: ended.promise.then(() => add('late')) }))
    ended.resolve()
    await late.work
    expect(await notes()).toEqual(['late'])
  })

  test('what waits for a commit runs after it, and never after a rollback', async () => {
    const ran: string[] = []
    await open.transaction(async () => {
      open.afterCommit(() => ran.push('outer'))
      await open.transaction(async () => [open.afterCommit(() => ran.push('inner')), await failing()]).catch(() => {})
      expect(ran).toEqual([])
    })
    await open.transaction(async () => [open.afterCommit(() => ran.push('failed')), await failing()]).catch(() => {})
    expect(ran).toEqual(['outer'])
  })
}, 'empty')

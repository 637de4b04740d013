import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onBothDatabases } from './both-databases.test-utils.ts'
import { type OpenDatabase, openDatabase, tablesOf, withoutDiskWait } from './database.ts'

type Tables = { notes: { text: string } }

onBothDatabases((target) => {
  let directory: string
  let open: OpenDatabase
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'threadbox-database-'))
    const { databaseUrl } = await target()
    open = openDatabase(databaseUrl === undefined ? { file: path.join(directory, 'file') } : { url: databaseUrl })
    await sql`create table notes (text text not null)`.execute(open.database)
  })
  afterEach(async () => {
    await open.close()
    await rm(directory, { recursive: true })
  })

  const write = (text: string) => (connection: Kysely<Tables>) =>
    sql`insert into notes values (${text})`.execute(connection)
  const notes = async () =>
    (await sql<{ text: string }>`select text from notes order by text`.execute(open.database)).rows.map(
      ({ text }) => text,
    )
  /** With SQLite, the driver waits, whose own tests show it. */
  const onPostgres = (isWaiting: boolean) => (open.kind === 'sqlite' ? undefined : isWaiting)
  /** Whether Postgres waits for the disk in this transaction. */
  const waits = async (connection: Kysely<Tables>) => {
    if (open.kind === 'sqlite') return undefined
    const { rows } = await sql`show synchronous_commit`.execute(connection)
    return Object.values(rows[0] as object)[0] === 'on'
  }

  describe('a transaction that does not wait for the disk', () => {
    test('is visible immediately, and those after it wait again, also after it failed', async () => {
      const database = tablesOf<Tables>(open.database)
      for (const text of ['one', 'two']) {
        const waited = await withoutDiskWait(database, async (transaction) => {
          await write(text)(transaction)
          return await waits(transaction)
        })
        expect(waited).toBe(onPostgres(false))
        expect(await waits(database)).toBe(onPostgres(true))
      }
      const failed = withoutDiskWait(database, async (transaction) => {
        await write('three')(transaction)
        throw new Error('no')
      })
      await expect(failed).rejects.toThrow('no')
      expect(await waits(database)).toBe(onPostgres(true))
      expect(await notes()).toEqual(['one', 'two'])
    })

    test('does not reach others that begin at the same time', async () => {
      const database = tablesOf<Tables>(open.database)
      const seen = await Promise.all([
        withoutDiskWait(database, waits),
        database.transaction().execute(waits),
        withoutDiskWait(database, waits),
        database.transaction().execute(waits),
      ])
      expect(seen).toEqual([false, true, false, true].map(onPostgres))
    })
  })
}, 'empty')

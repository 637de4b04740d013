import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { StateTables } from './state.tables.ts'
import { openStateDatabase, withoutDiskWait } from './state-database.ts'

const full = 2
const levelOf = async (connection: Kysely<StateTables>) =>
  (await sql<{ synchronous: number }>`pragma synchronous`.execute(connection)).rows[0]?.synchronous

test('writes that do not wait for the disk are visible to others immediately; all others wait, also after a failure', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-state-'))
  const file = path.join(directory, 'state.sqlite')
  const [database, other] = [openStateDatabase(file), openStateDatabase(file)]
  try {
    for (const value of ['one', 'two']) {
      const level = await withoutDiskWait(database, async (connection) => {
        await connection.insertInto('facts').values({ name: value, value }).execute()
        return await levelOf(connection)
      })
      expect(level).not.toBe(full)
      expect(await levelOf(database)).toBe(full)
    }
    const failed = withoutDiskWait(database, async () => {
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    const levels = await Promise.all([withoutDiskWait(database, levelOf), levelOf(database)])
    expect(levels).toEqual([1, full])
    expect(await other.selectFrom('facts').select('name').execute()).toHaveLength(2)
  } finally {
    await Promise.all([database.destroy(), other.destroy()])
    await rm(directory, { recursive: true })
  }
})

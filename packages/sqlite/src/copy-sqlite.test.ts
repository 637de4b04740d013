import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copySqlite } from './copy-sqlite.ts'
import { openSqlite } from './open-sqlite.ts'

test('a copy has everything that was committed, also what is only in the log, and is one file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-sqlite-'))
  const { connection } = openSqlite(join(directory, 'file'))
  connection.exec('create table notes (text text primary key) strict')
  const insert = connection.prepare('insert into notes values (?)')
  for (let number = 0; number < 500; number++) insert.run(`note ${number}`.padEnd(3000, '.'))
  const copying = copySqlite(join(directory, 'file'), join(directory, 'copy'))
  insert.run('while it is copied')
  await copying
  insert.run('later')
  const copy = openSqlite(join(directory, 'copy')).connection
  const { count } = copy.prepare('select count(*) as count from notes').get() as { count: number }
  expect(count).toBeGreaterThanOrEqual(500)
  expect(copy.prepare("select 1 from notes where text = 'later'").get()).toBeUndefined()
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  copy.close()
  connection.close()
  expect((await readdir(directory)).filter((name) => name.startsWith('copy'))).toEqual(['copy'])
  await rm(directory, { recursive: true })
})

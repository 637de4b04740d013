import { randomBytes } from 'node:crypto'
import { makeLogger } from '@threadbox/telemetry'
import { getMigrations } from 'better-auth/db/migration'
import { expect, test } from 'vitest'
import { migrate, migrationNames } from './migrations.registry.ts'
import { loginOptionsOf } from './people/users/login.ts'
import { onBothDatabases } from './platform/database/both-databases.test-utils.ts'
import { openDatabase } from './platform/database/database.ts'
import { makeSystem } from './platform/system/system.ts'

test('migrations are numbered in the order in which they run, so that their order is their name', () => {
  const numbers = migrationNames.map((name) => Number(name.slice(0, 4)))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
})

onBothDatabases((target) => {
  test('migrating twice, and by two servers at the same time, changes nothing the second time', async () => {
    const { databaseUrl } = await target()
    const open = openDatabase(databaseUrl === undefined ? { file: ':memory:' } : { url: databaseUrl })
    const second = databaseUrl === undefined ? open : openDatabase({ url: databaseUrl })
    await Promise.all(databaseUrl === undefined ? [migrate(open)] : [migrate(open), migrate(second)])
    await migrate(open)
    const tables = await open.database.introspection.getTables()
    expect(tables.map(({ name }) => name)).toContain('threads')
    await open.close()
    if (second !== open) await second.close()
  })

  test('the authentication library finds all of its tables and columns', async () => {
    const { databaseUrl } = await target()
    const open = openDatabase(databaseUrl === undefined ? { file: ':memory:' } : { url: databaseUrl })
    await migrate(open)
    const system = makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) })
    const logger = makeLogger({ process: 'test', level: 'fatal' })
    const secret = randomBytes(32).toString('hex')
    const options = loginOptionsOf({ open, system, secret, installation: 'test00', isSecure: false, logger })
    const plan = await getMigrations(options)
    expect(plan.toBeCreated).toEqual([])
    expect(plan.toBeAdded).toEqual([])
    await open.close()
  })
}, 'empty')

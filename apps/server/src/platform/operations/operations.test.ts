import { randomBytes } from 'node:crypto'
import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import { openDatabase, tablesOf } from '../database/database.ts'
import { makeSystem } from '../system/system.ts'
import { makeOperationStore } from './operations.store.ts'
import { createOperationTables, type OperationTables } from './operations.table.ts'
import { makeOperations } from './operations.ts'

test('a worker registered after the start is rejected, because its operations could have been skipped', async () => {
  const open = openDatabase({ file: ':memory:' })
  await createOperationTables(tablesOf(open.database))
  const operations = makeOperations({
    store: makeOperationStore(tablesOf<OperationTables>(open.database)),
    system: makeSystem({ now: Date.now, randomBytes }),
    logger: makeLogger({ process: 'test', level: 'fatal' }),
  })
  const worked: string[] = []
  const first = Promise.withResolvers<void>()
  operations.register('early', async ({ subjectId }) => {
    worked.push(subjectId)
    first.resolve()
  })
  operations.start()
  expect(() => operations.register('late', async () => undefined)).toThrow('late were registered after the start')
  await operations.plan({ kind: 'early', subjectId: 'thread', dueAt: 0 })
  await first.promise
  await operations.stop()
  expect(worked).toEqual(['thread'])
  await open.close()
})

import { afterAll, beforeAll, describe, inject } from 'vitest'
import { openPostgres, type TestDatabases } from '../../postgres.test-utils.ts'

/** Returns a new, unused database for a test. */
export type DatabaseTarget = () => Promise<{ databaseUrl?: string }>

/** Runs one suite on the embedded database and on Postgres, because users can choose either. */
export function onBothDatabases(suite: (target: DatabaseTarget) => void, content?: 'migrated' | 'empty'): void {
  describe('on the embedded database', () => suite(async () => ({})))
  // Without root or Debian's postgresql package, Postgres can't run here.
  const port = inject('postgresPort')
  describe.skipIf(port === undefined)('on Postgres', () => {
    let databases: TestDatabases
    beforeAll(async () => {
      databases = await openPostgres(port ?? 0)
    })
    afterAll(() => databases[Symbol.asyncDispose]())
    suite(async () => ({ databaseUrl: await databases.make(content) }))
  })
}

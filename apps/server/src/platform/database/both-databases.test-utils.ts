import { afterAll, beforeAll, describe } from 'vitest'
import { canRunPostgres, startPostgres, type TestPostgres } from '../../postgres.test-utils.ts'

/** Where a test opens its database: a new one each time, nobody's yet. */
export type DatabaseTarget = () => Promise<{ databaseUrl?: string }>

/** Runs one suite on the embedded database and on a Postgres of its own, because users may choose either. */
export function onBothDatabases(suite: (target: DatabaseTarget) => void, content?: 'migrated' | 'empty'): void {
  describe('on the embedded database', () => suite(async () => ({})))
  // Without root or without Debian's postgresql package there is no Postgres to run here.
  describe.skipIf(!canRunPostgres)('on Postgres', () => {
    let postgres: TestPostgres
    beforeAll(async () => {
      postgres = await startPostgres()
    }, 60_000)
    afterAll(() => postgres[Symbol.asyncDispose]())
    suite(async () => ({ databaseUrl: await postgres.makeDatabase(content) }))
  })
}

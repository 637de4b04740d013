import { serverFactsSchema } from '@threadbox/protocol/support'
import { startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { expect, test } from 'vitest'
import { makeTestApplication } from '../application.test-utils.ts'
import { migrationNames } from '../migrations.registry.ts'
import { onBothDatabases } from '../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../tables.test-utils.ts'
import { readDatabaseFacts } from './database-facts.ts'

onBothDatabases((target) => {
  test('O12: facts of the database are counts by words of the code, and fit the schema of a bundle', async () => {
    await using host = await startHostStandIn()
    await using server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath })
    const person = await server.signUpOwner()
    const created = await server.call('POST', '/api/v1/threads', { person, body: { title: 'zq7canary' } })
    const { id } = (await created.json()) as { id: string }
    await server.areas.sandboxes.sandboxes.awake(id, { reason: 'turn' })
    const settings = { idlePauseMinutes: 7, hotKeep: 'strict', timeZone: 'Europe/Berlin' }
    await server.call('PATCH', '/api/v1/settings', { person, body: { settings } })
    const operation = {
      kind: 'remove-thread',
      phase: 'planned',
      json: '{"title":"zq7canary"}',
      last_error: 'zq7canary',
    }
    const times = { due_at: server.clock.now, created_at: server.clock.now - 90_000, attempts: 3 }
    await tablesIn(server.open)
      .insertInto('operations')
      .values({ id: 'zq7canary', subject_id: 'zq7canary', ...operation, ...times })
      .execute()

    const facts = await readDatabaseFacts(server.open, server.clock.now)
    expect(facts).toMatchObject({
      kind: server.open.kind,
      schema: { applied: migrationNames.length, newest: migrationNames.at(-1), missing: 0, unknown: 0 },
      totals: { people: 1, threads: 1, workspaces: 0, models: 0 },
      sandboxes: { active: 1 },
      settings: { idlePauseMinutes: 7, hotKeep: 'strict', timeZone: 'set' },
    })
    expect(facts.operations).toContainEqual({
      kind: 'remove-thread',
      phase: 'planned',
      count: 1,
      oldestSeconds: 90,
      mostAttempts: 3,
    })
    const missing = { database: null, live: null }
    expect(serverFactsSchema.parse({ database: facts, live: null, missing }).database).toEqual(facts)
    expect(JSON.stringify(facts)).not.toContain('zq7canary')
  })
})

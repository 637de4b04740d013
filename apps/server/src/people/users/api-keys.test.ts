import { randomBytes } from 'node:crypto'
import { defaultKeyScopes } from '@threadbox/domain'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import { makeSystem } from '../../platform/system/system.ts'
import { makeLifecycleBench } from '../../sandboxes/lifecycle/lifecycle.test-utils.ts'
import { makeApiKeyStore } from './api-keys.store.ts'
import { makeApiKeys } from './api-keys.usecases.ts'
import { type ApiKeyRow, addKeyScopes, type UserTables } from './users.table.ts'

const requireWorkspace = async () => {}
const system = makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) })

onBothDatabases((target) => {
  test('a key from before scopes existed has those that every key had a use for, after the migration', async () => {
    await using bench = await makeLifecycleBench(await target())
    const { open } = bench.server
    const { schema } = open.database
    await schema.dropTable('api_key_refusals').execute()
    await schema.dropTable('session_confirmations').execute()
    await schema.alterTable('api_keys').dropColumn('scopes').execute()
    const database = tablesOf<UserTables>(open.database)
    const user = await database.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const { scopes: _, ...before } = keyRow(user.id, 'old')
    await database
      .insertInto('api_keys')
      .values(before as ApiKeyRow)
      .execute()
    await addKeyScopes(open.database as unknown as Kysely<never>)
    const keys = makeApiKeys({
      store: makeApiKeyStore(database),
      requireWorkspace,
      audit: bench.server.areas.people.audit,
      system,
    })
    expect(await keys.authenticate('old')).toMatchObject({ userId: user.id, scopes: defaultKeyScopes })
  })

  test('a refused call of a key that was just deleted fails nothing, and counts for no other key', async () => {
    await using bench = await makeLifecycleBench(await target())
    const { open } = bench.server
    const database = tablesOf<UserTables>(open.database)
    const user = await database.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const store = makeApiKeyStore(database)
    const keys = makeApiKeys({ store, requireWorkspace, audit: bench.server.areas.people.audit, system })
    for (const name of ['deleted', 'other']) await store.insert(keyRow(user.id, name), [])
    await keys.recordRefusal('other', 'audit.read')
    await keys.recordRefusal('other', 'audit.read')
    await keys.delete(user.id, 'deleted')
    await keys.recordRefusal('deleted', 'audit.read')
    const listed = (await keys.list(user.id)).map(({ name, refused }) => ({ name, refused }))
    expect(listed.filter(({ name }) => name === 'other')).toEqual([
      { name: 'other', refused: [{ action: 'audit.read', requirement: 'audit', count: 2 }] },
    ])
  })
})

function keyRow(userId: string, name: string): ApiKeyRow {
  return {
    id: name,
    user_id: userId,
    name,
    prefix: 'threadbox_abcdef',
    sha256: sha256Of(name),
    created_at: 1,
    last_used_at: null,
    expires_at: null,
    scopes: 'read',
    is_limited: 0,
  }
}

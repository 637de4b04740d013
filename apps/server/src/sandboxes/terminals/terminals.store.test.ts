import { expect, test } from 'vitest'
import { makeTestApplication } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeTerminalStore } from './terminals.store.ts'
import type { TerminalRow } from './terminals.table.ts'

onBothDatabases((target) => {
  test('terminals keep their order, are changed and removed one by one, and a thread takes them along', async () => {
    await using server = await makeTestApplication(await target())
    const owner = await server.signUpOwner()
    const thread = await server.areas.threads.threads.create(owner.userId, {})
    const store = makeTerminalStore(tablesOf(server.open.database))
    const row = (id: string, created_at: number): TerminalRow => ({
      thread_id: thread.id,
      id,
      title: id,
      boot_id: 'b-1',
      created_at,
      exit_code: null,
    })
    for (const [index, id] of ['z', 'y', 'x'].entries()) await store.add(row(id, 1_763_798_000_000 + index))
    await store.change(row('y', 0), { title: 'build', exit_code: -1 })
    await store.remove(thread.id, 'x')
    expect(await store.list(thread.id)).toEqual([
      row('z', 1_763_798_000_000),
      { ...row('y', 1_763_798_000_001), title: 'build', exit_code: -1 },
    ])
    expect(await store.find(thread.id, 'x')).toBeUndefined()
    await server.areas.threads.inside.store.erase(thread.id)
    expect(await store.list(thread.id)).toEqual([])
  })

  test('O12: a view may go on as long as login or key, and the thread, are its person’s', async () => {
    await using server = await makeTestApplication(await target())
    const owner = await server.signUpOwner()
    const other = await server.addPerson('other')
    const thread = await server.areas.threads.threads.create(owner.userId, {})
    const store = makeTerminalStore(tablesOf(server.open.database))
    const session = await tablesIn(server.open)
      .selectFrom('sessions')
      .selectAll()
      .where('userId', '=', owner.userId)
      .executeTakeFirstOrThrow()
    const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'key' }, person: owner })
    const key = (await created.json()) as { id: string }
    const byLogin = { userId: owner.userId, sessionId: session.id, apiKeyId: null, threadId: thread.id }
    const byKey = { ...byLogin, sessionId: null, apiKeyId: key.id }
    const now = server.clock.now
    expect(await store.maySee(byLogin, now)).toBe(true)
    expect(await store.maySee(byKey, now)).toBe(true)
    expect(await store.maySee({ ...byLogin, userId: other.userId }, now)).toBe(false)
    expect(await store.maySee({ ...byKey, userId: other.userId }, now)).toBe(false)
    expect(await store.maySee({ ...byKey, apiKeyId: null }, now)).toBe(false)
    expect(await store.maySee(byLogin, new Date(session.expiresAt).getTime())).toBe(false)
    await server.areas.threads.threads.delete(owner.userId, thread.id)
    expect(await store.maySee(byLogin, now)).toBe(false)
    expect(await store.maySee(byKey, now)).toBe(false)
  })
})

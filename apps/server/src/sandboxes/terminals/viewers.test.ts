import { expect, test } from 'vitest'
import { makeTestApplication } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeMaySee } from './viewers.ts'

onBothDatabases((target) => {
  test('O12: a view can continue while its session or key is valid, and the thread is its person’s', async () => {
    await using server = await makeTestApplication(await target())
    const { people, threads } = server.areas
    const owner = await server.signUpOwner()
    const other = await server.addPerson('other')
    const thread = await threads.threads.create(owner.userId, {})
    const maySee = makeMaySee({ ...threads, holds: people.holds })
    const session = await tablesIn(server.open)
      .selectFrom('sessions')
      .selectAll()
      .where('userId', '=', owner.userId)
      .executeTakeFirstOrThrow()
    const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'key' }, person: owner })
    const key = (await created.json()) as { id: string }
    const person = { userId: owner.userId, apiKeyId: null, workspaceIds: null }
    const bySession = { ...person, sessionId: session.id, threadId: thread.id }
    const byKey = { ...bySession, sessionId: null, apiKeyId: key.id }
    const now = server.clock.now
    expect(await maySee(bySession, now)).toBe(true)
    expect(await maySee(byKey, now)).toBe(true)
    expect(await maySee({ ...bySession, userId: other.userId }, now)).toBe(false)
    expect(await maySee({ ...byKey, userId: other.userId }, now)).toBe(false)
    expect(await maySee({ ...byKey, apiKeyId: null }, now)).toBe(false)
    expect(await maySee(bySession, new Date(session.expiresAt).getTime())).toBe(false)
    expect(await maySee({ ...byKey, workspaceIds: [] }, now)).toBe(false)
    await threads.threads.delete(owner.userId, thread.id)
    expect(await maySee(bySession, now)).toBe(false)
    expect(await maySee(byKey, now)).toBe(false)
  })
})

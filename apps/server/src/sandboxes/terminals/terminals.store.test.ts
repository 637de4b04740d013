import { expect, test } from 'vitest'
import { makeTestApplication } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeTerminalStore } from './terminals.store.ts'
import type { TerminalRow } from './terminals.table.ts'

onBothDatabases((target) => {
  test('terminals keep their order, are changed and removed one by one, and are removed with their thread', async () => {
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
})

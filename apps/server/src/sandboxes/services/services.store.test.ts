import { expect, test } from 'vitest'
import { makeTestApplication } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeServiceStore } from './services.store.ts'
import type { ServiceRow, ServiceTables } from './services.table.ts'

onBothDatabases((target) => {
  test('services keep the order of their starts, are changed only by their own key, and are removed with their thread', async () => {
    await using server = await makeTestApplication(await target())
    const owner = await server.signUpOwner()
    const thread = await server.areas.threads.threads.create(owner.userId, {})
    const store = makeServiceStore(tablesOf<ServiceTables>(server.open.database))
    const row = (name: string, key: string): Omit<ServiceRow, 'position'> => ({
      thread_id: thread.id,
      name,
      command: 'run',
      port: 8000,
      cwd: '/',
      environment_json: '{}',
      key,
      ready_timeout_ms: 60_000,
      boot_id: null,
      state: 'starting',
      since: 1_763_798_000_000,
      problem_json: null,
    })
    await store.put(row('one', 'k1'))
    await store.put(row('two', 'k2'))
    await store.put(row('one', 'k3'))
    const names = async () => (await store.list(thread.id)).map(({ name, key }) => `${name} ${key}`)
    expect(await names()).toEqual(['two k2', 'one k3'])
    expect(await store.change(row('one', 'k1'), { state: 'error' })).toBe(false)
    expect(await store.change(row('one', 'k3'), { state: 'running', boot_id: 'b-1' })).toBe(true)
    expect(await store.find(thread.id, 'one')).toMatchObject({
      state: 'running',
      boot_id: 'b-1',
      since: 1_763_798_000_000,
      position: 3,
    })
    await store.remove(thread.id, 'two')
    expect(await names()).toEqual(['one k3'])
    await server.areas.threads.inside.store.erase(thread.id)
    expect(await names()).toEqual([])
  })
})

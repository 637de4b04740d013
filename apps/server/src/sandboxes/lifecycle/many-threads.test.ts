import { afterEach, beforeEach, expect, test } from 'vitest'
import { tablesIn } from '../../tables.test-utils.ts'
import { columnsOf, newSandbox } from '../state/sandbox-rows.ts'
import { type LifecycleBench, makeLifecycleBench } from './lifecycle.test-utils.ts'

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

test('C3: two hundred sleeping threads are listed and checked without reading their manifests', async () => {
  const database = tablesIn(bench.server.open)
  const now = bench.server.clock.now
  const thread = await database.selectFrom('threads').selectAll().executeTakeFirstOrThrow()
  for (let index = 0; index < 200; index += 1) {
    const threadId = `t-${index}`
    const limits = { memoryBytes: 1, cpus: 1, processes: 1, diskBytes: 1 }
    const row = columnsOf(newSandbox({ id: `s-${index}`, threadId, now, limits }))
    await database
      .insertInto('threads')
      .values({ ...thread, id: threadId })
      .execute()
    const asleep = { state: 'paused', boot_id: `b-${index}`, paused_at: now, has_run: 1 }
    await database
      .insertInto('sandboxes')
      .values({ ...row, ...asleep })
      .execute()
    const memory = { sandbox_id: row.id, manifest_json: JSON.stringify('x'.repeat(200_000)), rescue_json: null }
    await database.insertInto('sandbox_memories').values(memory).execute()
    const known = { actual: 'paused' as const, bootId: `b-${index}`, bootStartedAt: 1, lastBootEnd: null }
    const rest = { limits, egress: { kind: 'open' as const }, imageId: 'image', diskUsedBytes: 0 }
    bench.host.sandboxes.set(row.id, { sandboxId: row.id, ...known, ...rest })
  }
  await bench.start()
  const times = []
  for (let round = 0; round < 10; round += 1) {
    const startedAt = performance.now()
    const answer = await bench.server.call('GET', '/api/v1/threads?limit=200', { person: bench.owner })
    expect(((await answer.json()) as { threads: unknown[] }).threads).toHaveLength(200)
    times.push(performance.now() - startedAt)
  }
  const checkStartedAt = performance.now()
  await bench.pass(60_000)
  expect(performance.now() - checkStartedAt).toBeLessThan(1000)
  // Generous, because tests share their machine: reading a manifest per thread takes many times as long.
  expect(times.toSorted((one, other) => one - other)[5]).toBeLessThan(500)
  expect(bench.host.orders).toEqual([])
})

import type { Quotas } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { type LifecycleBench, makeLifecycleBench, minute } from '../lifecycle/lifecycle.test-utils.ts'

const GiB = 1024 ** 3
/** What the stand-in says of each disk. */
const ofEach = GiB / 2

onBothDatabases((target) => {
  let bench: LifecycleBench
  beforeEach(async () => {
    bench = await makeLifecycleBench(await target())
    await bench.start()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  /** The owner’s own limit: others would need a second person for it. */
  const limit = (diskBytes: number | null) =>
    bench.server.areas.people.quotas.updateOwn(bench.owner.userId, { diskBytes })
  const wake = (threadId: string) =>
    bench.server.call('POST', `/api/v1/threads/${threadId}/sandbox/wake`, { person: bench.owner })
  const state = async () => {
    const response = await bench.server.call('GET', '/api/v1/quotas', { person: bench.owner })
    return ((await response.json()) as Quotas).quotas.find(({ quota }) => quota === 'diskBytes')
  }
  /** The sums are at most a minute old. */
  const pass = () => {
    bench.server.clock.now += minute
  }

  test('C12: who uses all of their disk space gets no new sandbox and wakes none, and learns which one is the largest', async () => {
    await limit(2 * ofEach)
    const { threadId } = bench
    expect((await wake(threadId)).status).toBe(200)
    const second = await bench.newThread()
    expect((await wake(second)).status).toBe(200)
    await bench.server.areas.sandboxes.lifecycle.pause(threadId)
    pass()
    for (const refused of [threadId, await bench.newThread()]) {
      const response = await wake(refused)
      expect(response.status).toBe(429)
      expect(await response.json()).toMatchObject({
        error: {
          code: 'quota.disk-used-up',
          details: { quota: 'diskBytes', used: GiB, limit: GiB, largestGiB: '0.5' },
        },
      })
    }
    expect(await bench.state(threadId)).toBe('paused')
    // What is awake continues: files can be deleted there.
    expect((await wake(second)).status).toBe(200)
  })

  test('C12: a copy of a sandbox is refused too', async () => {
    await limit(ofEach)
    await wake(bench.threadId)
    pass()
    const { store, state } = bench.server.areas.sandboxes.inside
    const source = await store.find(bench.threadId)
    if (source === undefined) throw new Error('no sandbox')
    const fork = state.forkSandbox({ source, snapshotId: null, threadId: await bench.newThread() })
    await expect(fork).rejects.toMatchObject({ code: 'quota.disk-used-up' })
  })

  test('C12: a raised limit and freed space let sandboxes wake again', async () => {
    await limit(ofEach)
    await wake(bench.threadId)
    pass()
    const other = await bench.newThread()
    expect((await wake(other)).status).toBe(429)
    await limit(3 * ofEach)
    expect((await wake(other)).status).toBe(200)
    await limit(2 * ofEach)
    pass()
    const third = await bench.newThread()
    expect((await wake(third)).status).toBe(429)
    await bench.server.areas.sandboxes.inside.store.erase(other)
    pass()
    expect((await wake(third)).status).toBe(200)
  })

  test('C12: what is used, with the largest, is shown to the person; without a limit nothing is refused', async () => {
    await wake(bench.threadId)
    pass()
    expect(await state()).toMatchObject({
      used: ofEach,
      limit: null,
      resetsAt: null,
      largest: { threadId: bench.threadId, used: ofEach },
    })
    expect((await wake(await bench.newThread())).status).toBe(200)
  })

  test('C12: the error names a thread by its title to its creator only', async () => {
    await limit(ofEach)
    await bench.server.areas.threads.threads.update(bench.owner.userId, bench.threadId, { title: 'Secret plan' })
    await wake(bench.threadId)
    pass()
    const other = await bench.newThread()
    expect(await (await wake(other)).json()).toMatchObject({ error: { details: { largest: 'Secret plan' } } })
    // A turn’s errors are read by everyone who reads its thread.
    await expect(bench.awake(other)).rejects.toMatchObject({ details: { largest: bench.threadId } })
  })
})

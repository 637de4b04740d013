import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { type AwakePlaceStore, makeAwakePlaceStore, type PlaceTables } from '../state/awake-places.store.ts'
import { type LifecycleBench, makeLifecycleBench, minute } from './lifecycle.test-utils.ts'

/** The limit is for what never comes, on a busy machine. */
const until = <Result>(check: () => Result | Promise<Result>) => vi.waitFor(check, { timeout: 60_000 })

onBothDatabases((target) => {
  let bench: LifecycleBench
  let threads: string[]
  beforeEach(async () => {
    bench = await makeLifecycleBench(await target())
    await bench.start()
    threads = [bench.threadId]
    while (threads.length < 6) threads.push(await bench.newThread())
    await limit(2)
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  const thread = (index: number) => threads[index] ?? ''
  const awake = (index: number, signal?: AbortSignal) =>
    bench.server.areas.sandboxes.sandboxes.awake(thread(index), {
      reason: 'turn',
      ...(signal === undefined ? {} : { signal }),
    })
  const hold = (index: number) => bench.server.areas.sandboxes.sandboxes.hold(thread(index))
  const view = async (index: number) =>
    (await bench.server.areas.sandboxes.inside.state.views([thread(index)])).get(thread(index))
  const states = async () => await Promise.all(threads.map(async (_, index) => (await view(index))?.state))
  /** The owner’s own limit: others would need a second person for it. */
  async function limit(awakeSandboxes: number | null): Promise<void> {
    await bench.server.areas.people.quotas.updateOwn(bench.owner.userId, { awakeSandboxes })
  }
  const waits = (index: number, position: number, places = 2) =>
    until(async () => expect((await view(index))?.waiting).toEqual({ position, places, reason: 'limit' }))

  async function keyHeaders(): Promise<{ authorization: string }> {
    const body = { name: 'script', scopes: ['work'] }
    const response = await bench.server.call('POST', '/api/v1/api-keys', { body, person: bench.owner })
    return { authorization: `Bearer ${((await response.json()) as { secret: string }).secret}` }
  }

  /** A sandbox that was just used is paused for another one only after a while. */
  function afterMinutes(check: () => void): void {
    bench.server.clock.now += minute
    // Each end of a turn lets the first thread in the queue try again.
    hold(5)[Symbol.dispose]()
    check()
  }

  test('C12: at a person’s limit an idle sandbox of theirs is paused, never one in use', async () => {
    await awake(0)
    bench.server.clock.now += minute
    await awake(1)
    using _turn = hold(1)
    bench.server.clock.now += minute
    await awake(2)
    expect(await states()).toEqual(['paused', 'active', 'active', 'fresh', 'fresh', 'fresh'])
  })

  test('C12: with all in use a thread says that it waits for the limit, and wakes in order when one is free', async () => {
    const turns = [hold(0), hold(1)]
    await Promise.all([awake(0), awake(1)])
    const served: number[] = []
    const waiting = [awake(2).then(() => served.push(2))]
    await waits(2, 1)
    waiting.push(awake(3).then(() => served.push(3)))
    await waits(3, 2)
    const notices = (await bench.server.areas.threads.log.entries(thread(2))).filter(({ kind }) => kind === 'notice')
    expect(notices).toMatchObject([{ code: 'sandbox-waiting', params: { position: 1, places: 2, reason: 'limit' } }])
    using _third = hold(2)
    turns[0]?.[Symbol.dispose]()
    await until(() => afterMinutes(() => expect(served).toEqual([2])))
    turns[1]?.[Symbol.dispose]()
    await until(() => afterMinutes(() => expect(served).toEqual([2, 3])))
    await Promise.all(waiting)
  })

  test('C12: a request whose sender sees no queue waits for a place for some seconds, then leaves the queue and hears when to try again', async () => {
    using _first = hold(0)
    using _second = hold(1)
    await Promise.all([awake(0), awake(1)])
    const turn = awake(2)
    await waits(2, 1)
    const wake = (index: number, headers: Record<string, string>) =>
      bench.server.call('POST', `/api/v1/threads/${thread(index)}/sandbox/wake`, { headers })
    const key = await keyHeaders()
    // The owner has no page open yet: this one is as from a program.
    const withoutPage = wake(5, bench.owner.headers)
    await waits(5, 2)
    using _page = bench.server.areas.people.userHub.subscribe(bench.owner.userId, () => undefined)
    const page = wake(4, bench.owner.headers)
    await waits(4, 3)
    const refused = await Promise.all([wake(2, key), wake(3, key), withoutPage])
    for (const response of refused) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
      expect(await response.json()).toMatchObject({
        error: {
          code: 'quota.place-awaited',
          details: { quota: 'awakeSandboxes', used: 2, limit: 2, retryAfterSeconds: 30 },
        },
      })
    }
    // The turn joined the same wake, and the page shows its queue: both keep waiting.
    for (const index of [3, 5]) await until(async () => expect((await view(index))?.state).toBe('fresh'))
    await waits(2, 1)
    await waits(4, 2)
    await limit(null)
    await until(() => afterMinutes(() => undefined))
    await turn
    expect((await page).status).toBe(200)
  })

  test('C12: a request with an API key that gets its place in time is answered as always', async () => {
    using _first = hold(0)
    const second = hold(1)
    await Promise.all([awake(0), awake(1)])
    const path = `/api/v1/threads/${thread(2)}/sandbox/wake`
    const response = bench.server.call('POST', path, { headers: await keyHeaders() })
    await waits(2, 1)
    bench.server.clock.now += minute
    second[Symbol.dispose]()
    await until(async () => {
      afterMinutes(() => undefined)
      expect((await view(2))?.state).toBe('active')
    })
    expect((await response).status).toBe(200)
  })

  test('C12: one person’s limit doesn’t delay the others', async () => {
    using _first = hold(0)
    using _second = hold(1)
    await Promise.all([awake(0), awake(1)])
    const stopping = new AbortController()
    const waiting = awake(2, stopping.signal)
    await waits(2, 1)
    const ben = await bench.server.addPerson('Ben')
    const { id } = await bench.server.areas.threads.threads.create(ben.userId, {})
    await bench.server.areas.sandboxes.sandboxes.awake(id, { reason: 'turn' })
    stopping.abort(new Error('canceled'))
    await expect(waiting).rejects.toThrow('canceled')
    await until(async () => expect((await view(2))?.state).toBe('fresh'))
  })

  test('C12: many at the same time get exactly as many as allowed', async () => {
    await limit(4)
    using _holds = new DisposableStack()
    for (let index = 0; index < 6; index += 1) _holds.use(hold(index))
    const stopping = new AbortController()
    let count = 0
    const wakes = threads.map((_, index) => awake(index, stopping.signal).then(() => (count += 1)))
    const settled = Promise.allSettled(wakes)
    await until(() => expect(count).toBe(4))
    expect((await states()).filter((state) => state === 'active')).toHaveLength(4)
    const used = (await bench.server.areas.people.quotas.own(bench.owner.userId)).quotas
    expect(used.find(({ quota }) => quota === 'awakeSandboxes')).toMatchObject({ used: 4, limit: 4 })
    stopping.abort(new Error('canceled'))
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    await until(async () => expect((await states()).filter((state) => state === 'fresh')).toHaveLength(2))
  })

  test('C12: without a limit nothing is counted and nothing waits', async () => {
    await limit(null)
    using _holds = new DisposableStack()
    for (let index = 0; index < 6; index += 1) _holds.use(hold(index))
    await Promise.all(threads.map((_, index) => awake(index)))
    expect(await states()).toEqual(threads.map(() => 'active'))
  })

  test('C12: two servers give away the same places once, also after one was killed while a sandbox started', async () => {
    const store = () => makeAwakePlaceStore(tablesOf<PlaceTables>(bench.server.open.database))
    const servers: AwakePlaceStore[] = [store(), store()]
    const { userId } = bench.owner
    const rows = tablesOf<{ sandboxes: { id: string; thread_id: string; state: string } }>(bench.server.open.database)
    await Promise.all([awake(0), awake(1)])
    // As after a kill: these had a place, or had none yet.
    for (const index of [2, 3, 4, 5]) {
      await bench.server.areas.sandboxes.inside.store.insertIfMissing({
        ...(await bench.row(thread(0))),
        id: `s-of-${index}`,
        thread_id: thread(index),
        state: 'starting',
      })
    }
    const place = (index: number) => ({ threadId: thread(index), userId, limit: 4, now: 0 })
    const taken = await Promise.all([2, 3, 4, 5].map((index) => servers[index % 2]?.take(place(index))))
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(2)
    expect(await servers[0]?.count(userId)).toBe(4)
    await rows.updateTable('sandboxes').set({ state: 'cold' }).where('state', '=', 'starting').execute()
    expect(await servers[1]?.count(userId)).toBe(2)
  })
})

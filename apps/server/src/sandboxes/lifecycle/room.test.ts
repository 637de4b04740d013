import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type LifecycleBench, makeLifecycleBench, minute } from './lifecycle.test-utils.ts'

let bench: LifecycleBench
let threads: string[]
beforeEach(async () => {
  bench = await makeLifecycleBench()
  await bench.start()
  bench.host.places = 2
  threads = [bench.threadId, await bench.newThread(), await bench.newThread(), await bench.newThread()]
})
afterEach(() => bench[Symbol.asyncDispose]())

const thread = (index: number) => threads[index] ?? ''
const awake = (index: number, signal?: AbortSignal) =>
  bench.server.areas.sandboxes.sandboxes.awake(thread(index), {
    reason: 'turn',
    ...(signal === undefined ? {} : { signal }),
  })
const view = async (index: number) =>
  (await bench.server.areas.sandboxes.inside.state.views([thread(index)])).get(thread(index))
const waits = (index: number, position: number) =>
  vi.waitFor(async () => expect((await view(index))?.waiting).toEqual({ position, places: 2 }))

test('G7: when memory is full, the sandbox that was unused for longest is paused, never one in use', async () => {
  await awake(0)
  bench.server.clock.now += minute
  await awake(1)
  bench.server.clock.now += minute
  await awake(2)
  expect((await view(0))?.detail).toMatchObject({ code: 'paused.room' })
  expect((await view(1))?.state).toBe('active')
  using _turn = bench.server.areas.sandboxes.sandboxes.hold(thread(1))
  bench.server.clock.now += minute
  await awake(3)
  expect((await view(1))?.state).toBe('active')
  expect((await view(2))?.state).toBe('paused')
})

test('G7: with all in use, a thread shows that it waits, is served in order, and wakes when memory is free', async () => {
  using _first = bench.server.areas.sandboxes.sandboxes.hold(thread(0))
  const second = bench.server.areas.sandboxes.sandboxes.hold(thread(1))
  await Promise.all([awake(0), awake(1)])
  const served: number[] = []
  const waiting = [awake(2).then(() => served.push(2))]
  await waits(2, 1)
  waiting.push(awake(3).then(() => served.push(3)))
  await waits(3, 2)
  expect((await view(2))?.state).toBe('starting')
  const notices = (await bench.server.areas.threads.log.entries(thread(2))).filter(({ kind }) => kind === 'notice')
  expect(notices).toMatchObject([{ code: 'sandbox-waiting', params: { position: 1, places: 2 } }])
  bench.server.clock.now += minute
  bench.host.places = 3
  second[Symbol.dispose]()
  await waiting[0]
  expect(served[0]).toBe(2)
  bench.server.clock.now += minute
  bench.host.places = 4
  await waiting[1]
  expect(served).toEqual([2, 3])
  expect((await view(3))?.waiting).toBeUndefined()
}, 15_000)

test('G7: a canceled wait leaves the queue, and its sandbox is as it was before', async () => {
  await awake(2)
  await bench.server.areas.sandboxes.lifecycle.pause(thread(2))
  using _first = bench.server.areas.sandboxes.sandboxes.hold(thread(0))
  using _second = bench.server.areas.sandboxes.sandboxes.hold(thread(1))
  await Promise.all([awake(0), awake(1)])
  const [first, other] = [new AbortController(), new AbortController()]
  const wakes = [awake(2, first.signal), awake(3, other.signal)]
  await waits(2, 1)
  await waits(3, 2)
  first.abort(new Error('canceled'))
  await expect(wakes[0]).rejects.toThrow('canceled')
  await waits(3, 1)
  await vi.waitFor(async () => expect((await view(2))?.state).toBe('paused'))
  other.abort(new Error('canceled'))
  await expect(wakes[1]).rejects.toThrow('canceled')
  await vi.waitFor(async () => expect((await view(3))?.state).toBe('fresh'))
})

test('a message that stops waiting for memory leaves nothing that waits, although its wake began ahead of it', async () => {
  await Promise.all([awake(0), awake(1)])
  const stopping = new AbortController()
  bench.server.areas.sandboxes.sandboxes.wakeAhead(thread(2))
  const wake = awake(2, stopping.signal)
  await waits(2, 1)
  stopping.abort(new Error('canceled'))
  await expect(wake).rejects.toThrow('canceled')
  await vi.waitFor(async () => expect((await view(2))?.state).toBe('fresh'))
})

test('waking ahead of a message pauses no other sandbox and does not wait', async () => {
  await awake(2)
  await bench.server.areas.sandboxes.lifecycle.pause(thread(2))
  await Promise.all([awake(0), awake(1)])
  bench.server.clock.now += minute
  bench.server.areas.sandboxes.sandboxes.prepareForAgent(thread(2))
  await vi.waitFor(() => expect(bench.host.orders.at(-1)?.order).toBe('wake'))
  await vi.waitFor(async () => expect((await view(2))?.state).toBe('paused'))
  expect([(await view(0))?.state, (await view(1))?.state]).toEqual(['active', 'active'])
  bench.host.places = 3
  bench.server.areas.sandboxes.sandboxes.prepareForAgent(thread(2))
  await vi.waitFor(async () => expect((await view(2))?.state).toBe('active'))
  bench.server.areas.sandboxes.sandboxes.prepareForAgent(thread(3))
  expect((await view(3))?.state).toBe('fresh')
})

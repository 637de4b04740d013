import type { SandboxDetail, Thread, Workspace } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LifecycleBench, makeLifecycleBench } from '../../sandboxes/lifecycle/lifecycle.test-utils.ts'

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const request = async <Answer>(method: string, path: string, body?: unknown) =>
  (await (await bench.server.call(method, `/api/v1${path}`, { person: bench.owner, body })).json()) as Answer
const create = (name: string) => request<Workspace>('POST', '/workspaces', { name })
const detailOf = (threadId: string) => request<SandboxDetail>('GET', `/threads/${threadId}/sandbox`)

test('C12: each value comes from the thread, else its workspace, else the installation, and names its source', async () => {
  const { id } = await create('Long')
  const thread = await request<Thread>('POST', '/threads', { workspaceId: id })
  await request('PATCH', '/settings', { settings: { hotHours: 5, idlePauseMinutes: 20 } })
  await request('PATCH', `/workspaces/${id}`, {
    policy: { idlePauseMinutes: 90, retentionDays: 0, maxServices: 2 },
    limits: { cpus: 1.5 },
  })
  const fresh = await detailOf(thread.id)
  expect(fresh.policy).toMatchObject({ idlePauseMinutes: 90, hotHours: 5, retentionDays: null, maxServices: 2 })
  expect(fresh.sandbox.limits.cpus).toBe(1.5)
  expect([fresh.workspacePolicy.toSorted(), fresh.ownPolicy]).toEqual([
    ['idlePauseMinutes', 'maxServices', 'retentionDays'],
    [],
  ])
  expect([fresh.workspaceLimits, fresh.ownLimits]).toEqual([['cpus'], []])

  const changed = { policy: { idlePauseMinutes: 3 }, limits: { cpus: 1 } }
  const own = await request<SandboxDetail>('PATCH', `/threads/${thread.id}/sandbox`, changed)
  expect([own.policy.idlePauseMinutes, own.sandbox.limits.cpus]).toEqual([3, 1])
  expect([own.ownPolicy, own.workspacePolicy.toSorted()]).toEqual([
    ['idlePauseMinutes'],
    ['maxServices', 'retentionDays'],
  ])
  expect([own.ownLimits, own.workspaceLimits]).toEqual([['cpus'], []])

  const back = await request<SandboxDetail>('PATCH', `/threads/${thread.id}/sandbox`, {
    policy: { idlePauseMinutes: null },
  })
  expect(back.policy.idlePauseMinutes).toBe(90)
  await request('PATCH', `/workspaces/${id}`, { policy: { idlePauseMinutes: null, retentionDays: null } })
  const inherited = await detailOf(thread.id)
  expect([inherited.policy.idlePauseMinutes, inherited.workspacePolicy]).toEqual([20, ['maxServices']])
  await request('PATCH', `/threads/${thread.id}`, { workspaceId: null })
  const outside = await detailOf(thread.id)
  expect([outside.policy.maxServices, outside.workspacePolicy]).toEqual([10, []])
})

test('C12 C4: a running sandbox pauses by its workspace’s idle time, and by the new one after a move', async () => {
  const [quick, slow] = [await create('Quick'), await create('Slow')]
  await request('PATCH', `/workspaces/${quick.id}`, { policy: { idlePauseMinutes: 5 } })
  await request('PATCH', `/workspaces/${slow.id}`, { policy: { idlePauseMinutes: 60 } })
  await bench.start()
  await bench.awake()
  const pauseAfter = async () => {
    const { sandbox } = await detailOf(bench.threadId)
    return Math.round(((sandbox.awake?.pauseAt ?? 0) - bench.server.clock.now) / 60_000)
  }
  expect(await pauseAfter()).toBe(30)
  await request('PATCH', `/threads/${bench.threadId}`, { workspaceId: quick.id })
  expect(await pauseAfter()).toBe(5)
  await request('PATCH', `/threads/${bench.threadId}`, { workspaceId: slow.id })
  expect(await pauseAfter()).toBe(60)
  await bench.pass(61 * 60_000)
  await expect.poll(async () => (await detailOf(bench.threadId)).sandbox.state).toBe('paused')
})

test('C12: limits of a workspace reach sandboxes that run in it, and one that is moved in', async () => {
  const { id } = await create('Small')
  await bench.start()
  await bench.awake()
  const cpusOnHost = () => [...bench.host.sandboxes.values()].map(({ limits }) => limits.cpus)
  expect(cpusOnHost()).toEqual([2])
  await request('PATCH', `/workspaces/${id}`, { limits: { cpus: 1 } })
  expect(cpusOnHost()).toEqual([2])
  await request('PATCH', `/threads/${bench.threadId}`, { workspaceId: id })
  expect(cpusOnHost()).toEqual([1])
  await request('PATCH', `/workspaces/${id}`, { limits: { cpus: 4 } })
  expect(cpusOnHost()).toEqual([4])
  await request('PATCH', `/workspaces/${id}`, { limits: { cpus: null } })
  expect(cpusOnHost()).toEqual([2])
})

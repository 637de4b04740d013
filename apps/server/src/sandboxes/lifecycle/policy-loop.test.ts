import { emptyManifest, emptyRescue } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { day, hour, type LifecycleBench, makeLifecycleBench, minute } from './lifecycle.test-utils.ts'

let bench: LifecycleBench

/** Emits activity from the host and waits until the server knows it. */
const works = async (reason: string, detail = '') => {
  const { id: sandboxId, boot_id: bootId } = await bench.row()
  const at = bench.server.clock.now
  bench.host.emit({ type: 'activity', sandboxId, bootId: bootId ?? '', reason, detail, at })
  if (reason === 'guest') return
  await vi.waitFor(async () => {
    const { awake } = (await bench.detail()).sandbox
    expect(awake?.reasons).toContainEqual({ reason, detail })
  })
}
const setSettings = (settings: Record<string, unknown>) =>
  bench.server.call('PATCH', '/api/v1/settings', { body: { settings }, person: bench.owner })

onBothDatabases((target) => {
  beforeEach(async () => {
    bench = await makeLifecycleBench(await target())
    await bench.start()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  describe('C4: pausing what is idle', () => {
    test('at the set time and not before, with the reason', async () => {
      await bench.awake()
      const pauseAt = bench.server.clock.now + 30 * minute
      expect((await bench.detail()).sandbox.awake).toMatchObject({ reasons: [], pauseAt, heldUntil: null })
      await bench.pass(30 * minute - 1)
      expect(await bench.state()).toBe('active')
      await bench.pass(1)
      expect((await bench.detail()).sandbox).toMatchObject({
        state: 'paused',
        detail: { code: 'paused.idle', params: { minutes: 30 } },
      })
    })

    test.each([
      ['cpu', 'training.py'],
      ['terminal', ''],
      ['request', '8501'],
    ])('%s keeps it awake and is named', async (reason, detail) => {
      await bench.awake()
      for (let round = 0; round < 4; round += 1) {
        await bench.pass(20 * minute)
        await works(reason, detail)
      }
      const { sandbox } = await bench.detail()
      expect(sandbox).toMatchObject({ state: 'active', detail: { code: `awake.${reason}` }, awake: { pauseAt: null } })
      await bench.pass(29 * minute)
      expect((await bench.detail()).sandbox).toMatchObject({ state: 'active', awake: { reasons: [] } })
      await bench.pass(minute)
      expect(await bench.state()).toBe('paused')
    })

    test('guest traffic and opening the panel are not activity', async () => {
      await bench.awake()
      for (let round = 0; round < 3; round += 1) {
        await bench.pass(9 * minute)
        await works('guest')
        await bench.detail()
      }
      await bench.pass(3 * minute)
      expect(await bench.state()).toBe('paused')
    })

    test('activity of an earlier boot says nothing about this one', async () => {
      const { sandboxId } = await bench.awake()
      const event = {
        type: 'activity' as const,
        sandboxId,
        bootId: 'b-earlier',
        reason: 'cpu',
        at: bench.server.clock.now,
      }
      bench.host.emit(event)
      await works('terminal')
      expect((await bench.detail()).sandbox.awake?.reasons).toEqual([{ reason: 'terminal', detail: '' }])
    })

    test('a turn that ends starts the idle time', async () => {
      await bench.awake()
      const turn = bench.server.areas.sandboxes.sandboxes.hold(bench.threadId)
      await bench.pass(5 * hour)
      turn[Symbol.dispose]()
      await vi.waitFor(async () => {
        const { awake } = (await bench.detail()).sandbox
        expect(awake).toMatchObject({ reasons: [], pauseAt: bench.server.clock.now + 30 * minute })
      })
      await bench.pass(30 * minute)
      expect(await bench.state()).toBe('paused')
    })

    test('nothing is paused while the host is away, nor in the first minute after it is back', async () => {
      await bench.awake()
      bench.server.areas.sandboxes.inside.state.setReachable(false)
      await bench.pass(2 * hour)
      expect(await bench.state()).toBe('active')
      bench.server.areas.sandboxes.inside.state.setReachable(true)
      await bench.pass(0)
      expect(await bench.state()).toBe('active')
      await bench.pass(minute)
      expect(await bench.state()).toBe('paused')
    })
  })

  describe('C4: the longest time awake', () => {
    test('is announced an hour before, pauses real work with a notice; its memory outlives a strict time', async () => {
      await setSettings({ hotKeep: 'strict', hotHours: 1, idlePauseMinutes: 60 })
      await bench.awake()
      for (let hours = 0; hours < 23; hours += 1) {
        await works('cpu', 'training.py')
        await bench.pass(29 * minute)
        await works('cpu', 'training.py')
        await bench.pass(31 * minute - 1000)
      }
      await works('cpu', 'training.py')
      await bench.pass(23_000)
      const [near] = await bench.notices()
      expect(near).toMatchObject({ code: 'awake-limit-near', params: { hours: 24, process: 'training.py' } })
      await bench.pass(30 * minute)
      await works('cpu', 'training.py')
      await bench.pass(30 * minute)
      expect(await bench.state()).toBe('paused')
      expect((await bench.notices()).map(({ code }) => code)).toEqual(['awake-limit-near', 'sandbox-paused'])
      await bench.pass(3 * hour)
      expect(await bench.state()).toBe('paused')
    }, 60_000)
  })

  describe('A2, A3: discarding memory', () => {
    test('when it is strict: rescued within the budgets of the settings, then cold with the reason', async () => {
      await setSettings({ hotKeep: 'strict', rescueSeconds: 7, rescueMebibytes: 3, rescueVariableMebibytes: 2 })
      await bench.awake()
      await bench.detail('POST', '/pause')
      await bench.pass(8 * hour - 1)
      expect(await bench.state()).toBe('paused')
      await bench.pass(1)
      expect((await bench.detail()).sandbox).toMatchObject({
        state: 'cold',
        detail: { code: 'memory-given-up' },
        asleep: { memory: 'none' },
      })
      expect(await bench.codes()).toContain('demoted')
      await bench.awake()
      expect(await bench.reported()).toMatchObject({ from: 'disk', cause: { code: 'memory-given-up' } })
      await bench.detail('POST', '/pause')
      await bench.awake()
      expect((await bench.reported(2)).from).toBe('memory')
    })

    test('a failed demotion leaves the memory; one whose memory is unusable starts from the disk', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      bench.host.fail('demote', { code: 'host.no-memory', kind: 'exhausted' })
      await bench.server.areas.sandboxes.inside.lifecycle.demotion.demote(await bench.row(), 'budget')
      expect(await bench.row()).toMatchObject({ state: 'paused', cause: null, intent: null })
      const details = { reason: 'corrupt' }
      bench.host.fail('demote', { code: 'sandbox.memory-unusable', kind: 'conflict', details })
      bench.host.fail('wake', { code: 'sandbox.memory-unusable', kind: 'conflict', details })
      await bench.server.areas.sandboxes.inside.lifecycle.demotion.demote(await bench.row(), 'budget')
      await bench.awake()
      expect((await bench.reported()).from).toBe('disk')
    })

    test('a failed demotion is not retried immediately, but later', async () => {
      await setSettings({ hotKeep: 'strict', hotHours: 1 })
      await bench.awake()
      await bench.detail('POST', '/pause')
      bench.host.fail('demote', { code: 'host.no-memory', kind: 'exhausted' })
      await bench.pass(hour)
      await bench.pass(minute)
      expect(bench.host.orders.map(({ order }) => order)).toEqual(['pause', 'demote'])
      await bench.pass(5 * minute)
      expect(await bench.state()).toBe('cold')
    })

    test('a wake during a demotion waits for it and starts from the disk', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      const release = bench.host.hold('demote')
      const demoting = bench.server.areas.sandboxes.inside.lifecycle.demotion.demote(await bench.row(), 'time')
      await vi.waitFor(() => expect(bench.host.orders.at(-1)?.order).toBe('demote'))
      const woken = bench.awake()
      release()
      await demoting
      await woken
      expect(bench.host.orders.map(({ order }) => order)).toEqual(['pause', 'demote'])
      expect(await bench.reported()).toMatchObject({ from: 'disk', cause: { code: 'memory-given-up' } })
    })

    test('when images exceed their budget: the oldest beyond their guaranteed time, and no more than needed', async () => {
      const threads = [bench.threadId, await bench.newThread(), await bench.newThread()]
      for (const threadId of threads) {
        await bench.awake(threadId)
        await bench.server.areas.sandboxes.lifecycle.pause(threadId)
        await bench.pass(4 * hour)
      }
      const usedBytes = 3 * 64 * 1024 * 1024
      bench.host.emit({ type: 'memory-budget', usedBytes, budgetBytes: usedBytes - 1 })
      await vi.waitFor(async () => expect(await bench.state(threads[0])).toBe('cold'))
      expect(await Promise.all(threads.map(bench.state))).toEqual(['cold', 'paused', 'paused'])
      bench.host.emit({ type: 'memory-budget', usedBytes, budgetBytes: 0 })
      await vi.waitFor(async () => expect(await bench.state(threads[1])).toBe('cold'))
      expect(await bench.state(threads[2])).toBe('paused')
    })

    test('clients get the number of awake sandboxes when the host reports a change', async () => {
      const counted = Promise.withResolvers<number>()
      using _listener = bench.server.areas.people.userHub.subscribe(bench.owner.userId, (event) => {
        if (event.type === 'awake-changed') counted.resolve(event.awakeSandboxes)
      })
      bench.host.emit({ type: 'awake-changed', awakeSandboxes: 7 })
      expect(await counted.promise).toBe(7)
    })

    test('a dropped frozen copy changes only what is shown: the image remains', async () => {
      bench.host.wakesFrom = 'frozen'
      const { sandboxId, bootId } = await bench.awake()
      expect((await bench.detail('POST', '/pause')).sandbox.asleep?.memory).toBe('frozen')
      bench.host.emit({ type: 'frozen-dropped', sandboxId, bootId, at: 1 })
      await vi.waitFor(async () => expect((await bench.detail()).sandbox.asleep?.memory).toBe('saved'))
    })
  })

  describe('A1, O11: unused files', () => {
    test('are kept forever unless a time is set; then announced, and deleted with the history kept', async () => {
      const { sandboxId } = await bench.awake()
      await bench.detail('POST', '/pause')
      await bench.pass(400 * day)
      expect((await bench.detail()).sandbox).toMatchObject({ state: 'paused', asleep: { removedAt: null } })
      await bench.detail('PATCH', '', { policy: { retentionDays: 10 } })
      await bench.pass(0)
      const [near] = await bench.notices()
      expect(near).toMatchObject({ code: 'retention-near', params: { removedAt: bench.server.clock.now + 5 * day } })
      await bench.pass(5 * day - 1)
      expect(bench.host.deleted).toEqual([])
      await bench.pass(1)
      expect(bench.host.deleted).toEqual([sandboxId])
      expect((await bench.detail()).sandbox.state).toBe('fresh')
      expect(await bench.codes()).toContain('files-removed')
      expect(await bench.notices()).toHaveLength(1)
      expect((await bench.awake()).sandboxId).not.toBe(sandboxId)
      const report = await bench.reported()
      expect(report).toMatchObject({
        from: 'new',
        cause: { detail: 'The files were removed after 10 days without use.' },
      })
    })

    test('Keep: with its own "never" nothing is removed, and a use restarts the time', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      await bench.detail('PATCH', '', { policy: { retentionDays: 10 } })
      await bench.pass(6 * day)
      expect(await bench.notices()).toHaveLength(1)
      await bench.awake()
      await bench.detail('POST', '/pause')
      expect((await bench.detail()).sandbox.asleep?.removedAt).toBe(bench.server.clock.now + 10 * day)
      await bench.pass(6 * day)
      expect(await bench.notices()).toHaveLength(2)
      await bench.detail('PATCH', '', { policy: { retentionDays: 0 } })
      await bench.pass(100 * day)
      expect(await bench.state()).toBe('paused')
    })

    test('a removal that a crash interrupted is completed, and a deletion of the thread is left alone', async () => {
      const { sandboxId } = await bench.awake()
      await bench.detail('POST', '/pause')
      const detail = 'The files were removed after 3 days without use.'
      await bench.server.areas.sandboxes.inside.state.transition(await bench.row(), {
        type: 'delete-requested',
        cause: { code: 'disk-missing', detail, pausedAt: null },
      })
      await bench.server.areas.sandboxes.recoverLifecycle()
      expect(bench.host.deleted).toEqual([sandboxId])
      expect(await bench.row()).toMatchObject({ state: 'fresh', has_run: 0 })
    })
  })

  describe('a clock that is set', () => {
    test('expires nothing early, forward or back', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      await bench.detail('PATCH', '', { policy: { hotKeep: 'strict', retentionDays: 10 } })
      await bench.pass(hour)
      bench.server.clock.set += 365 * day
      await bench.pass(365 * day)
      expect((await bench.detail()).sandbox).toMatchObject({
        state: 'paused',
        asleep: { memoryUntil: bench.server.clock.now + 7 * hour },
      })
      bench.server.clock.set -= 700 * day
      await bench.pass(-700 * day)
      expect((await bench.detail()).sandbox.asleep?.memoryUntil).toBe(bench.server.clock.now + 7 * hour)
      await bench.pass(7 * hour)
      expect(await bench.state()).toBe('cold')
      expect(await bench.notices()).toEqual([])
    })

    test('keeps a sandbox awake that is used, and pauses it when its time is over', async () => {
      await bench.awake()
      await bench.pass(20 * minute)
      bench.server.clock.set += 5 * hour
      await bench.pass(5 * hour)
      expect(await bench.state()).toBe('active')
      await bench.pass(9 * minute)
      expect(await bench.state()).toBe('active')
      await bench.pass(minute)
      expect(await bench.state()).toBe('paused')
    })
  })

  test('the report of a cold start waits for the restored variables, which are unchecked until then', async () => {
    await bench.awake()
    const variable = {
      context: 'default',
      name: 'x',
      type: 'int',
      bytes: 8,
      fingerprint: 'a',
      compared: 'content' as const,
      rescue: 'data' as const,
      reason: '',
    }
    const kernels = [{ context: 'default', pid: 5, state: 'idle' as const, variables: [variable] }]
    bench.host.manifest = { ...emptyManifest(), kernels }
    await bench.detail('POST', '/pause')
    const kept = {
      context: 'default',
      name: 'x',
      type: 'int',
      outcome: 'kept' as const,
      method: 'data' as const,
      bytes: 8,
      reason: '',
    }
    bench.host.rescue = { ...emptyRescue(), state: 'pending', variables: [kept] }
    await bench.server.areas.sandboxes.inside.lifecycle.demotion.demote(await bench.row(), 'time')
    bench.host.manifest = emptyManifest()
    await bench.awake()
    await vi.waitFor(async () => {
      const [wake] = await bench.wakes()
      expect(wake?.report).toMatchObject({ status: 'checking', counts: { variable: { unchecked: 1 } } })
    })
    bench.host.rescue = { ...bench.host.rescue, state: 'replayed' }
    bench.host.manifest = { ...emptyManifest(), kernels }
    expect((await bench.reported()).counts.variable).toMatchObject({ rescued: 1, unchecked: 0, lost: 0 })
  })
})

import type { Thread } from '@threadbox/protocol/public'
import { emptyManifest } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { day, hour, type LifecycleBench, makeLifecycleBench, minute } from './lifecycle.test-utils.ts'

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
  await bench.start()
})
afterEach(() => bench[Symbol.asyncDispose]())

const failed = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

describe('pause and wake', () => {
  test('C4, C5: a sandbox sleeps with its memory and wakes as the same boot, with a report and a log', async () => {
    const { bootId } = await bench.awake()
    const paused = await bench.detail('POST', '/pause')
    expect(paused.sandbox).toMatchObject({
      state: 'paused',
      detail: { code: 'paused.person' },
      asleep: { memory: 'saved', memoryUntil: bench.server.clock.now + 8 * hour, removedAt: null },
    })
    expect(paused.usage?.memoryImageBytes).toBe(64 * 1024 * 1024)
    const woken = await bench.detail('POST', '/wake')
    expect(woken.sandbox).toMatchObject({ state: 'active', detail: null })
    expect((await bench.awake()).bootId).toBe(bootId)
    expect(await bench.reported()).toMatchObject({ from: 'memory', cause: null, pausedAt: expect.any(Number) })
    expect(await bench.codes()).toEqual(['woken.memory', 'paused.person', 'started'])
  })

  test('C12: what a person has awake pauses when their account is disabled, and what others have doesn’t', async () => {
    const { server } = bench
    await bench.awake()
    const ben = await server.addPerson('ben')
    const { id } = await server.areas.threads.threads.create(ben.userId, {})
    await bench.awake(id)
    await server.confirm(bench.owner)
    const path = `/api/v1/people/${ben.userId}`
    expect((await server.call('PATCH', path, { person: bench.owner, body: { isDisabled: true } })).status).toBe(200)
    const stateOf = async (threadId: string) => (await server.areas.sandboxes.rows.find(threadId))?.state
    expect([await stateOf(id), await stateOf(bench.threadId)]).toEqual(['paused', 'active'])
  })

  test('C6: the check after a wake from memory leaves the command ahead, and a pause does not cut it off', async () => {
    await bench.awake()
    await bench.detail('POST', '/pause')
    const wokenAt = performance.now()
    await bench.awake()
    await bench.reported()
    expect(performance.now() - wokenAt).toBeGreaterThan(900)
    await bench.detail('POST', '/pause')
    await bench.awake()
    await bench.detail('POST', '/pause')
    const reports = (await bench.wakes()).map(({ report }) => report)
    expect(reports).toMatchObject([{ status: 'complete' }, { status: 'complete' }])
    expect(reports[1]?.items).toEqual(reports[0]?.items)
  })

  test('A2: a connection that looks open right after a wake is lost when its other side turns out to have dropped it', async () => {
    await bench.awake()
    const connection = {
      kind: 'tcp' as const,
      scope: 'outside' as const,
      local: '198.18.0.6:4000',
      remote: '203.0.113.7:443',
      state: 'established',
      pid: 9,
    }
    bench.host.manifest = { ...emptyManifest(), connections: [connection] }
    await bench.detail('POST', '/pause')
    await bench.detail('POST', '/wake')
    const first = await bench.reported()
    expect(first.counts).toMatchObject({ connection: { lost: 0, unchecked: 1 } })
    bench.host.manifest = emptyManifest()
    await expect.poll(async () => (await bench.reported()).counts.connection).toMatchObject({ lost: 1, unchecked: 0 })
  })

  test('C6: both manifests use the same hash key, so that their hashes can be compared', async () => {
    await bench.awake()
    await bench.detail('POST', '/pause')
    await bench.awake()
    await bench.reported()
    expect(bench.host.hashKeys.pause).toMatch(/^[0-9a-f]{64}$/)
    expect(bench.host.hashKeys.look).toBe(bench.host.hashKeys.pause)
  })

  test('a failed pause leaves the sandbox as it was, with the reason, and is not retried immediately', async () => {
    const { sandboxId } = await bench.awake()
    bench.host.fail('pause', { code: 'sandbox.pause-failed', kind: 'unavailable' })
    expect(await failed(await bench.call('POST', '/pause'))).toBe('sandbox.pause-failed')
    expect((await bench.detail()).sandbox).toMatchObject({ state: 'active', detail: { code: 'pause-failed' } })
    expect(await bench.codes()).toContain('pause-failed')
    bench.host.fail('pause', { code: 'sandbox.pause-failed', kind: 'unavailable' })
    await bench.pass(31 * minute)
    await bench.pass(minute)
    expect(bench.host.orders.filter(({ sandboxId: id }) => id === sandboxId)).toHaveLength(2)
    await bench.pass(5 * minute)
    expect(await bench.state()).toBe('paused')
  })

  test('a use during a pause that fails still gets the sandbox', async () => {
    const { bootId } = await bench.awake()
    const release = bench.host.hold('pause')
    bench.host.fail('pause', { code: 'sandbox.pause-failed', kind: 'unavailable' })
    const pausing = bench.call('POST', '/pause')
    await vi.waitFor(() => expect(bench.host.orders).toHaveLength(1))
    const woken = bench.awake()
    release()
    expect((await pausing).status).toBe(503)
    expect((await woken).bootId).toBe(bootId)
  })

  test('C4: a use during a pause cancels it; this is not a failure, and the request for the pause gets the reason', async () => {
    const { bootId } = await bench.awake()
    const release = bench.host.hold('pause')
    bench.host.fail('pause', { code: 'sandbox.pause-abandoned', kind: 'conflict' })
    const pausing = bench.call('POST', '/pause')
    await vi.waitFor(() => expect(bench.host.orders).toHaveLength(1))
    const woken = bench.awake()
    await vi.waitFor(() => expect(bench.host.abandoned).toEqual([bootId]))
    release()
    expect(await failed(await pausing)).toBe('sandbox.pause-abandoned')
    expect((await woken).bootId).toBe(bootId)
    expect((await bench.detail()).sandbox).toMatchObject({ state: 'active', detail: null })
    expect(await bench.codes()).toEqual(['pause-abandoned', 'started'])
    expect(await bench.notices()).toEqual([])
  })

  test('a boot that ends during its pause is cold, with a notice', async () => {
    const { sandboxId } = await bench.awake()
    const release = bench.host.hold('pause')
    const pausing = bench.call('POST', '/pause')
    await vi.waitFor(() => expect(bench.host.orders).toHaveLength(1))
    bench.host.endBoot(sandboxId, 'memory-backstop')
    release()
    expect((await pausing).status).toBe(409)
    await vi.waitFor(async () => expect(await bench.state()).toBe('cold'))
    await vi.waitFor(async () =>
      expect(await bench.notices()).toMatchObject([{ code: 'sandbox-stopped', params: { cause: 'memory-backstop' } }]),
    )
  })

  test('C4: a sandbox is never paused in a turn, also when the turn began after the decision', async () => {
    await bench.awake()
    using _turn = bench.server.areas.sandboxes.sandboxes.hold(bench.threadId)
    expect(await failed(await bench.call('POST', '/pause'))).toBe('sandbox.turn-running')
    expect(await failed(await bench.call('POST', '/restart'))).toBe('sandbox.turn-running')
    await bench.pass(3 * hour)
    expect(await bench.state()).toBe('active')
    expect(bench.host.orders).toEqual([])
  })

  test('a thread without a sandbox cannot be paused, and repeated pauses are one', async () => {
    expect(await failed(await bench.call('POST', '/pause'))).toBe('sandbox.not-awake')
    await bench.awake()
    await Promise.all([bench.detail('POST', '/pause'), bench.detail('POST', '/pause')])
    await bench.detail('POST', '/pause')
    expect(bench.host.orders.map(({ order }) => order)).toEqual(['pause'])
  })

  test('O3: concurrent wakes are one, and a wake during a pause follows it', async () => {
    await bench.awake()
    const release = bench.host.hold('pause')
    const pausing = bench.detail('POST', '/pause')
    await vi.waitFor(() => expect(bench.host.orders).toHaveLength(1))
    const woken = Promise.all([bench.awake(), bench.awake(), bench.detail('POST', '/wake')])
    release()
    await Promise.all([pausing, woken])
    expect(bench.host.orders.map(({ order }) => order)).toEqual(['pause', 'wake'])
    await bench.reported()
    expect(await bench.wakes()).toHaveLength(1)
  })

  test('C3: chip, list and panel agree, and the owner’s clients get each state', async () => {
    const states: string[] = []
    using _listener = bench.server.areas.people.userHub.subscribe(bench.owner.userId, (event) => {
      if (event.type === 'thread-updated') states.push(event.thread.sandbox.state)
    })
    await bench.awake()
    await bench.detail('POST', '/pause')
    await bench.awake()
    const distinct = states.filter((state, index) => state !== states[index - 1])
    expect(distinct).toEqual(['starting', 'active', 'pausing', 'paused', 'waking', 'active'])
    const listed = await bench.server.call('GET', '/api/v1/threads', { person: bench.owner })
    const { threads } = (await listed.json()) as { threads: Thread[] }
    expect(threads[0]?.sandbox).toEqual((await bench.detail()).sandbox)
  })
})

describe('C6: when memory or disk cannot be used', () => {
  const problems = ['missing', 'corrupt', 'consumed', 'other-version', 'cpu-features', 'disk-changed'] as const
  test.each([...problems, 'restore-failed', 'guest-silent'])(
    'memory that is %s: cold, with the reason',
    async (reason) => {
      const { bootId } = await bench.awake()
      await bench.detail('POST', '/pause')
      const details = { reason }
      bench.host.fail('wake', { code: 'sandbox.memory-unusable', kind: 'conflict', details })
      expect((await bench.awake()).bootId).not.toBe(bootId)
      expect(await bench.reported()).toMatchObject({ from: 'disk', cause: { code: `memory-${reason}` } })
      expect(await bench.codes()).toEqual(['woken.disk', 'memory-lost', 'paused.person', 'started'])
    },
  )

  test('a host that forgot the sandbox creates a new one, and the report says so', async () => {
    const { sandboxId } = await bench.awake()
    await bench.detail('POST', '/pause')
    bench.host.sandboxes.delete(sandboxId)
    await bench.awake()
    expect(await bench.reported()).toMatchObject({ from: 'new', cause: { code: 'disk-missing' } })
    expect((await bench.detail()).sandbox.state).toBe('active')
  })

  test('a missing disk is created again; one restored from a snapshot is reported as older', async () => {
    const { sandboxId } = await bench.awake()
    bench.host.endBoot(sandboxId, 'machine-restarted')
    await vi.waitFor(async () => expect(await bench.state()).toBe('cold'))
    bench.host.fail('start', { code: 'disk.not-found', kind: 'not-found' })
    await bench.awake()
    expect(await bench.reported()).toMatchObject({ from: 'new', cause: { code: 'disk-missing' } })
    expect(bench.host.deleted).toEqual([sandboxId])
    bench.host.endBoot(sandboxId, 'machine-restarted')
    await vi.waitFor(async () => expect(await bench.state()).toBe('cold'))
    const known = bench.host.sandboxes.get(sandboxId)
    if (known === undefined) throw new Error('the host lost it')
    bench.host.sandboxes.set(sandboxId, { ...known, diskRestoredFrom: 1_700_000_000_000 })
    await bench.awake()
    const report = await bench.reported(2)
    expect(report).toMatchObject({ from: 'snapshot', cause: { code: 'disk-missing' } })
    expect(report.cause?.detail).toContain('2023-11-14')
  })

  test('any other problem with a disk removes nothing', async () => {
    const { sandboxId } = await bench.awake()
    bench.host.endBoot(sandboxId, 'machine-restarted')
    await vi.waitFor(async () => expect(await bench.state()).toBe('cold'))
    bench.host.fail('start', { code: 'disk.unreadable', kind: 'internal' })
    await expect(bench.awake()).rejects.toMatchObject({ code: 'disk.unreadable' })
    expect(bench.host.deleted).toEqual([])
    expect((await bench.detail()).sandbox).toMatchObject({ state: 'error', detail: { code: 'disk.unreadable' } })
  })

  test('a wake that the host rejects for now leaves the memory where it is', async () => {
    const { bootId } = await bench.awake()
    await bench.detail('POST', '/pause')
    bench.host.fail('wake', { code: 'host.shutting-down', kind: 'unavailable' })
    await expect(bench.awake()).rejects.toMatchObject({ code: 'host.shutting-down' })
    expect((await bench.detail()).sandbox).toMatchObject({ state: 'paused', detail: { code: 'host.shutting-down' } })
    expect((await bench.awake()).bootId).toBe(bootId)
  })

  test('after a boot that ended unexpectedly, the report says that everything in memory is lost', async () => {
    const { sandboxId } = await bench.awake()
    bench.host.endBoot(sandboxId, 'killed-inside')
    await vi.waitFor(async () => expect(await bench.state()).toBe('cold'))
    await bench.awake()
    const report = await bench.reported()
    expect(report).toMatchObject({ from: 'disk', cause: { code: 'ended-killed-inside' }, pausedAt: null })
    expect(report.items.filter(({ outcome }) => outcome === 'kept')).toEqual([])
  })
})

describe('what a person changes', () => {
  test('O10: how many services a thread runs, and back to the installation’s number', async () => {
    expect((await bench.detail()).policy.maxServices).toBe(10)
    const changed = await bench.detail('PATCH', '', { policy: { maxServices: 1 } })
    expect([changed.policy.maxServices, changed.ownPolicy]).toEqual([1, ['maxServices']])
    await bench.server.call('PATCH', '/api/v1/settings', {
      body: { settings: { maxServices: 7 } },
      person: bench.owner,
    })
    expect((await bench.detail()).policy.maxServices).toBe(1)
    expect((await bench.detail('PATCH', '', { policy: { maxServices: null } })).policy.maxServices).toBe(7)
  })

  test('policy of a thread of its own, and back to the installation’s', async () => {
    const changed = await bench.detail('PATCH', '', { policy: { idlePauseMinutes: 5, retentionDays: 0 } })
    expect(changed.policy).toMatchObject({ idlePauseMinutes: 5, retentionDays: null, hotHours: 8 })
    expect(changed.ownPolicy).toEqual(['idlePauseMinutes', 'retentionDays'])
    const settings = { settings: { idlePauseMinutes: 20, retentionDays: 30 } }
    await bench.server.call('PATCH', '/api/v1/settings', { body: settings, person: bench.owner })
    expect((await bench.detail()).policy).toMatchObject({ idlePauseMinutes: 5, retentionDays: null })
    const back = await bench.detail('PATCH', '', { policy: { idlePauseMinutes: null, retentionDays: null } })
    expect(back.policy).toMatchObject({ idlePauseMinutes: 20, retentionDays: 30 })
    expect(back.ownPolicy).toEqual([])
    await bench.awake()
    await bench.pass(21 * minute)
    expect(await bench.state()).toBe('paused')
  })

  test('limits of a thread apply immediately and survive a change of the installation’s', async () => {
    const { sandboxId } = await bench.awake()
    const memoryBytes = 6 * 1024 ** 3
    expect((await bench.detail('PATCH', '', { limits: { memoryBytes } })).sandbox.limits.memoryBytes).toBe(memoryBytes)
    expect(bench.host.sandboxes.get(sandboxId)?.limits.memoryBytes).toBe(memoryBytes)
    const settings = { settings: { sandboxMemoryBytes: 2 * 1024 ** 3, sandboxCpus: 1 } }
    await bench.server.call('PATCH', '/api/v1/settings', { body: settings, person: bench.owner })
    expect(bench.host.sandboxes.get(sandboxId)?.limits).toMatchObject({ memoryBytes, cpus: 1 })
    await bench.detail('POST', '/pause')
    await bench.detail('PATCH', '', { limits: { cpus: 3 } })
    expect(bench.host.sandboxes.get(sandboxId)?.limits.cpus).toBe(3)
    await bench.awake()
    expect((await bench.detail()).sandbox.limits).toMatchObject({ memoryBytes, cpus: 3 })
    const given = await bench.detail('PATCH', '', { limits: { memoryBytes: null } })
    expect([given.sandbox.limits.memoryBytes, given.ownLimits]).toEqual([2 * 1024 ** 3, ['cpus']])
    expect(bench.host.sandboxes.get(sandboxId)?.limits).toMatchObject({ memoryBytes: 2 * 1024 ** 3, cpus: 3 })
    expect((await bench.detail('PATCH', '', { limits: { cpus: null } })).ownLimits).toEqual([])
    const concurrent = [{ cpus: 1.5 }, { processes: 300 }, { memoryBytes }].map((limits) =>
      bench.detail('PATCH', '', { limits }),
    )
    await Promise.all(concurrent)
    expect((await bench.detail()).ownLimits.toSorted()).toEqual(['cpus', 'memoryBytes', 'processes'])
  })

  test('C4: a hold keeps it awake beyond the idle time, expires automatically, and can be ended', async () => {
    await bench.awake()
    const until = bench.server.clock.now + 2 * hour
    const held = await bench.detail('POST', '/hold', { until })
    expect(held.sandbox.awake).toMatchObject({
      reasons: [{ reason: 'hold', detail: '' }],
      heldUntil: until,
      pauseAt: null,
    })
    await bench.pass(119 * minute)
    expect(await bench.state()).toBe('active')
    await bench.pass(31 * minute)
    expect(await bench.state()).toBe('paused')
    await bench.awake()
    await bench.detail('POST', '/hold', { until: bench.server.clock.now + day })
    expect((await bench.detail('POST', '/hold', { until: null })).sandbox.awake?.reasons).toEqual([])
    expect(await failed(await bench.call('POST', '/hold', { until: bench.server.clock.now + 8 * day }))).toBe(
      'sandbox.hold-invalid',
    )
    expect(await failed(await bench.call('POST', '/hold', { until: bench.server.clock.now - 1 }))).toBe(
      'sandbox.hold-invalid',
    )
  })

  test('O7: a restart ends every process, keeps the disk, reports what was lost and causes no notice', async () => {
    const before = await bench.awake()
    bench.host.manifest = {
      ...emptyManifest(),
      processes: [
        {
          pid: 9,
          startTicks: '1',
          startedAt: 1,
          parentPid: 1,
          name: 'train',
          executable: '/usr/bin/python',
          commandLine: ['python', 'train.py'],
          cwd: '/',
          user: 'user',
          memoryBytes: 1,
          role: 'user',
          service: '',
        },
      ],
    }
    const restarting = bench.detail('POST', '/restart')
    await vi.waitFor(async () => expect(['cold', 'starting', 'active']).toContain(await bench.state()))
    await restarting
    bench.host.manifest = emptyManifest()
    const after = await bench.awake()
    expect(after.bootId).not.toBe(before.bootId)
    expect(bench.host.orders).toEqual([{ order: 'stop', sandboxId: before.sandboxId, bootId: before.bootId }])
    expect(await bench.reported()).toMatchObject({ from: 'disk', cause: { code: 'restarted' } })
    expect(await bench.notices()).toEqual([])
    expect(await bench.codes()).toContain('restarted')
  })

  test('G10: a process that ended with the memory is restarted with one call', async () => {
    await bench.awake()
    await bench.detail('POST', '/pause')
    bench.host.rescue = {
      ...bench.host.rescue,
      state: 'replayed',
      processes: [{ id: 'p1', pid: 9, commandLine: ['train'], cwd: '/', role: 'user', obstacle: '' }],
    }
    const row = await bench.row()
    const process = { pid: 9, startTicks: '1', startedAt: 1, parentPid: 1, name: 'train', commandLine: ['train'] }
    const manifest = {
      ...emptyManifest(),
      processes: [{ ...process, cwd: '/', user: 'user', memoryBytes: 1, role: 'user' }],
    }
    await bench.server.areas.sandboxes.inside.store.setMemory({
      sandbox_id: row.id,
      manifest_json: JSON.stringify(manifest),
      rescue_json: null,
    })
    await bench.server.areas.sandboxes.inside.lifecycle.demotion.demote(row, 'time')
    expect((await bench.detail()).sandbox).toMatchObject({
      state: 'cold',
      asleep: { memory: 'none', memoryUntil: null },
    })
    await bench.awake()
    const report = await bench.reported()
    expect(report).toMatchObject({ from: 'disk', cause: { code: 'memory-given-up' } })
    expect(report.items.find(({ kind }) => kind === 'process')).toMatchObject({ outcome: 'lost', restartId: 'p1' })
    const started = await bench.detail('POST', '/rescued/p1/start')
    expect(bench.host.restarted).toEqual(['p1'])
    expect(started.latestReport?.items.find(({ kind }) => kind === 'process')).toMatchObject({ outcome: 'restarted' })
    expect(started.latestReport?.counts.process).toMatchObject({ lost: 0, restarted: 1 })
    expect(await failed(await bench.call('POST', '/rescued/p1/start'))).toBe('rescued.not-found')
    const one = await bench.call('GET', `/reports/${report.id}`)
    expect(((await one.json()) as { id: string }).id).toBe(report.id)
  })
})

import type { HostSandbox } from '@threadbox/protocol/host'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import type { LifecycleEvent } from '../state/sandbox.logic.ts'
import { recordInPlace } from '../state/transitions.ts'
import { type LifecycleBench, makeLifecycleBench } from './lifecycle.test-utils.ts'

/**
 * A crash leaves the database row and the host in any two successive states. These tests bring a server that has not
 * started into each such pair, then start it.
 */
let bench: LifecycleBench

const happens = async (event: LifecycleEvent) => {
  const { transition } = bench.server.areas.sandboxes.inside.state
  const changed = await transition(await bench.row(), event)
  if (changed === undefined) throw new Error(`${event.type} was refused`)
}
const onHost = (more: Partial<HostSandbox>) => {
  const [sandbox] = bench.host.sandboxes.values()
  if (sandbox === undefined) throw new Error('the host has none')
  bench.host.sandboxes.set(sandbox.sandboxId, { ...sandbox, ...more })
}
const isPaused = { actual: 'paused' as const, paused: { at: 1, imageBytes: 5, isFrozen: false } }
const isStopped = { actual: 'stopped' as const, bootId: null, paused: null }
const reaches = (state: string) => vi.waitFor(async () => expect(await bench.state()).toBe(state), { timeout: 3000 })
const orders = () => bench.host.orders.map(({ order }) => order)

onBothDatabases((target) => {
  beforeEach(async () => {
    bench = await makeLifecycleBench(await target())
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  describe('§2.5: the server ends in the middle of a pause', () => {
    beforeEach(async () => {
      await bench.awake()
      await happens({ type: 'pause-requested', reason: { cause: 'idle', params: { minutes: 30 } } })
    })
    test('before the order was sent: the server sends it', async () => {
      await bench.start()
      await reaches('paused')
      expect(orders()).toEqual(['pause'])
      expect((await bench.detail()).sandbox.detail).toEqual({ code: 'paused.idle', params: { minutes: 30 } })
    })
    test('after the host had paused it: the server gets the result again, with the manifest', async () => {
      onHost(isPaused)
      await bench.start()
      await reaches('paused')
      const row = await bench.row()
      expect(row.image_bytes).toBe(5)
      expect((await bench.server.areas.sandboxes.inside.store.memory(row.id))?.manifest_json).toContain('version')
    })
    test('the boot ended in the meantime: cold, with its cause', async () => {
      const { boot_id: bootId } = await bench.row()
      onHost({ ...isStopped, lastBootEnd: { bootId: bootId ?? '', cause: 'machine-restarted', at: 1, detail: '' } })
      await bench.start()
      await reaches('cold')
      await vi.waitFor(async () =>
        expect(await bench.notices()).toMatchObject([
          { code: 'sandbox-stopped', params: { cause: 'machine-restarted' } },
        ]),
      )
    })
    test('a use before recovery: it is paused, then woken as the same boot', async () => {
      const { boot_id: bootId } = await bench.row()
      expect((await bench.awake()).bootId).toBe(bootId)
      expect(orders()).toEqual(['pause', 'wake'])
    })
  })

  describe('§2.5: the server ends in the middle of a wake', () => {
    beforeEach(async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      await happens({ type: 'wake-requested' })
    })
    test('before the order was sent, or before its response: the server sends it again', async () => {
      const { boot_id: bootId } = await bench.row()
      await bench.start()
      await reaches('active')
      expect((await bench.row()).boot_id).toBe(bootId)
      expect((await bench.reported()).from).toBe('memory')
    })
    test('after the host had woken it: it is active, and its report is still written', async () => {
      onHost({ actual: 'ready', paused: null })
      await bench.start()
      await reaches('active')
      expect((await bench.reported()).pausedAt).not.toBeNull()
    })
    test('the memory was dropped: it starts from its disk', async () => {
      onHost(isStopped)
      await bench.start()
      await reaches('active')
      expect(await bench.reported()).toMatchObject({ from: 'disk' })
    })
  })

  describe('§2.5: the server ends after a wake and before its report', () => {
    test('the next start writes the report once, also if the report exists and its wake is still recorded', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      await happens({ type: 'wake-requested' })
      onHost({ actual: 'ready', paused: null })
      await happens({ type: 'wake-finished', from: 'frozen', startedAt: bench.server.clock.now - 4 })
      const { wake } = await bench.row()
      await bench.server.areas.sandboxes.recoverLifecycle()
      await bench.reported()
      const { store: sandboxStore } = bench.server.areas.sandboxes.inside
      await tablesIn(bench.server.open)
        .updateTable('sandboxes')
        .set({ wake_json: JSON.stringify(wake) })
        .execute()
      await bench.server.areas.sandboxes.recoverLifecycle()
      expect(await bench.wakes()).toHaveLength(1)
      expect((await sandboxStore.find(bench.threadId))?.wake).toBeNull()
      expect(await bench.reported()).toMatchObject({
        id: wake?.reportId,
        from: 'frozen',
        wakeMs: 4,
        status: 'complete',
      })
    })
    test('an unfinished report is completed, and says what could no longer be checked', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      await bench.awake()
      await bench.reported()
      const database = tablesIn(bench.server.open)
      await database.updateTable('survival_reports').set({ status: 'checking', before_json: null }).execute()
      await bench.detail('POST', '/pause')
      await bench.server.areas.sandboxes.recoverLifecycle()
      const report = await vi.waitFor(async () => {
        const { latestReport } = await bench.detail()
        expect(latestReport).toMatchObject({ status: 'complete', items: [{ outcome: 'unchecked' }, { kind: 'file' }] })
        return latestReport
      })
      expect(report?.items[0]?.reason).not.toBe('')
    })
  })

  describe('§2.5: host and server disagree after either was away', () => {
    test('a sandbox that the host paused at its shutdown is paused, with its manifest', async () => {
      await bench.awake()
      onHost(isPaused)
      await bench.start()
      await reaches('paused')
      expect((await bench.detail()).sandbox.detail?.code).toBe('paused.shutdown')
    })
    test('one that the host paused is woken at the next use, also before the server has noticed', async () => {
      const { bootId } = await bench.awake()
      onHost(isPaused)
      expect((await bench.awake()).bootId).toBe(bootId)
      expect((await bench.reported()).from).toBe('memory')
    })
    test('one that the host paused during a turn is woken by the turn', async () => {
      const { bootId } = await bench.awake()
      using _turn = bench.server.areas.sandboxes.sandboxes.hold(bench.threadId)
      onHost(isPaused)
      expect((await bench.awake()).bootId).toBe(bootId)
    })
    test('one that is paused here and runs on the host is active', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      onHost({ actual: 'ready', paused: null })
      await bench.start()
      await reaches('active')
    })
    test('one whose memory the host has lost is cold, with the cause', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      const { boot_id: bootId } = await bench.row()
      onHost({ ...isStopped, lastBootEnd: { bootId: bootId ?? '', cause: 'killed-outside', at: 1, detail: 'killed' } })
      await bench.start()
      await reaches('cold')
      await bench.awake()
      expect(await bench.reported()).toMatchObject({
        cause: { code: 'ended-killed-outside' },
        pausedAt: expect.any(Number),
      })
    })
    test('a paused one that the host does not know stays paused until it is used', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      bench.host.sandboxes.clear()
      await bench.start()
      expect(await bench.state()).toBe('paused')
    })
    test('a boot that the record no longer has is stopped, so that an interrupted restart leaves nothing running', async () => {
      await bench.awake()
      await happens({ type: 'boot-ended', end: { cause: 'restarted', manifestJson: null } })
      await bench.start()
      await vi.waitFor(() => expect(orders()).toEqual(['stop']))
      expect(await bench.state()).toBe('cold')
    })
    test('§2.3: memory discarded while the server was away causes no notice', async () => {
      await bench.awake()
      await bench.detail('POST', '/pause')
      const row = await bench.row()
      await recordInPlace(bench.server.areas.sandboxes.inside.store, row.id, {
        type: 'demotion-ordered',
        reason: 'time',
      })
      onHost({ ...isStopped, lastBootEnd: { bootId: row.boot_id ?? '', cause: 'stopped', at: 1, detail: '' } })
      await bench.start()
      await reaches('cold')
      expect(await bench.notices()).toEqual([])
      await bench.awake()
      expect(await bench.reported()).toMatchObject({ cause: { code: 'memory-given-up' } })
    })
  })

  describe('the connection breaks between an order and its response', () => {
    test.each(['pause', 'wake'] as const)(
      'of a %s: the server assumes no outcome, and settles the state when the host is back',
      async (order) => {
        await bench.awake()
        await bench.start()
        const { boot_id: bootId } = await bench.row()
        if (order === 'wake') await bench.detail('POST', '/pause')
        const lost = new Set([order])
        bench.host.loseAnswer = (given) => lost.delete(given as typeof order)
        if (order === 'pause') expect((await bench.call('POST', '/pause')).status).toBe(503)
        else await expect(bench.awake()).rejects.toMatchObject({ code: 'host.unreachable' })
        bench.host.closeConnections()
        await reaches(order === 'pause' ? 'paused' : 'active')
        expect((await bench.row()).boot_id).toBe(bootId)
      },
    )
  })
})

import type { Machine, MachineHistory } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../application.test-utils.ts'
import { onBothDatabases } from '../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../tables.test-utils.ts'
import { slotMs } from './machine-history.logic.ts'

const canary = 'zq7canary'
const GiB = 1024 ** 3

onBothDatabases((target) => {
  let host: HostStandIn
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  beforeEach(async () => {
    host = await startHostStandIn()
    server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath })
    owner = await server.signUpOwner()
    ben = await server.addPerson('Ben')
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  const call = async (person: TestPerson, method: string, path: string, body?: unknown) => {
    const response = await server.call(method, `/api/v1${path}`, { person, body })
    const text = await response.text()
    return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) }
  }
  const machine = async () => (await call(owner, 'GET', '/machine')).body as Machine
  /** A thread of Ben whose sandbox runs, and which says the canary in every way that it can. */
  const awakeThread = async () => {
    const { body } = await call(ben, 'POST', '/threads', { title: `${canary} title` })
    const threadId = body.id as string
    await call(ben, 'POST', `/threads/${threadId}/messages`, { text: `/run echo ${canary}`, key: 'machine-1' })
    await server.areas.turns.turns.settled(threadId)
    await server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'turn' })
    const row = await server.areas.sandboxes.rows.find(threadId)
    return { threadId, sandboxId: row?.id ?? '' }
  }

  test('O12: shows what the host measured, and each sandbox with its person, state and sizes', async () => {
    const { sandboxId } = await awakeThread()
    const { host: figures, sandboxes, versions } = await machine()
    expect(figures?.memory).toMatchObject({ totalBytes: 24 * GiB, sandboxesBytes: GiB / 4, roomForBoots: 99 })
    expect(figures?.disk).toMatchObject({ totalBytes: 100 * GiB, disksBytes: GiB / 2 })
    expect(sandboxes).toEqual([
      {
        sandboxId,
        userId: ben.userId,
        state: 'active',
        since: expect.any(Number),
        why: [],
        waiting: null,
        memoryBytes: GiB / 4,
        diskBytes: GiB / 2,
      },
    ])
    expect(versions).toMatchObject({ release: '0.0.0-test', driver: 'runsc release-20261110.0' })
  })

  test('O12: has no title, command, file, process or message of a thread', async () => {
    const { threadId, sandboxId } = await awakeThread()
    await server.areas.sandboxes.inside.lifecycle.noteHostEvent({
      type: 'activity',
      sandboxId,
      bootId: (await server.areas.sandboxes.rows.find(threadId))?.boot_id ?? '',
      reason: 'cpu',
      detail: `${canary}-process`,
      at: server.clock.now,
    })
    const { text, body } = await call(owner, 'GET', '/machine')
    expect((body as Machine).sandboxes[0]?.why).toEqual(['cpu'])
    expect(text).not.toContain(canary)
    expect((await call(owner, 'GET', '/machine/history?span=day')).text).not.toContain(canary)
  })

  test('O12: is for the owner, admins and keys of that scope', async () => {
    const { sandboxId } = await awakeThread()
    const act = `/machine/sandboxes/${sandboxId}/pause`
    for (const [method, path] of [
      ['GET', '/machine'],
      ['GET', '/machine/history'],
      ['POST', act],
    ] as const) {
      expect((await call(ben, method, path)).body.error.code).toBe('auth.owner-required')
    }
    const { body } = await call(owner, 'POST', '/api-keys', { name: 'monitor', scopes: ['machine'] })
    const keyed = { userId: owner.userId, headers: { authorization: `Bearer ${body.secret}` } }
    expect((await call(keyed, 'GET', '/machine')).status).toBe(200)
    expect((await call(keyed, 'GET', '/metrics')).body.error.code).toBe('auth.scope-missing')
  })

  describe('the owner', () => {
    test('O12: pauses a sandbox of another person, whose log says so, and who did it is in the audit log', async () => {
      const { threadId, sandboxId } = await awakeThread()
      expect((await call(owner, 'POST', `/machine/sandboxes/${sandboxId}/pause`)).status).toBe(204)
      expect((await machine()).sandboxes[0]).toMatchObject({ state: 'paused', memoryBytes: null })
      const { body } = await call(ben, 'GET', `/threads/${threadId}/sandbox`)
      expect(body.sandbox.detail.code).toBe('paused.administrator')
      const { events } = (await call(owner, 'GET', '/audit')).body as { events: { action: string }[] }
      const details = { person: ben.userId }
      const event = events.find(({ action }) => action === 'machine-sandbox-paused')
      expect(event).toMatchObject({ subject: threadId, details })
    })

    test('O12: stops a sandbox, whose files are kept, and gets a reason when there is nothing to stop', async () => {
      const { threadId, sandboxId } = await awakeThread()
      expect((await call(owner, 'POST', `/machine/sandboxes/${sandboxId}/stop`)).status).toBe(204)
      expect((await server.areas.sandboxes.rows.find(threadId))?.state).toBe('cold')
      expect(host.orders.map(({ order }) => order)).toEqual(['stop'])
      expect(host.deleted).toEqual([])
      const again = await call(owner, 'POST', `/machine/sandboxes/${sandboxId}/stop`)
      expect([again.status, again.body.error.code]).toEqual([409, 'sandbox.not-awake'])
      const unknown = await call(owner, 'POST', '/machine/sandboxes/nothing/stop')
      expect([unknown.status, unknown.body.error.code]).toEqual([404, 'machine.sandbox-unknown'])
    })
  })

  test('O12: lists who is near a limit, who asks for more, what models cost, and failed responses by code', async () => {
    await awakeThread()
    await server.confirm(ben)
    await call(ben, 'PATCH', '/quotas', { awakeSandboxes: 1 })
    await call(ben, 'POST', '/quotas/requests', { quota: 'concurrentRuns', note: 'For a report.' })
    await host[Symbol.asyncDispose]()
    const { id } = (await call(ben, 'POST', '/threads', {})).body
    const { status, body } = await call(ben, 'POST', `/threads/${id}/sandbox/wake`)
    const { nearLimits, requests, spend, errors, host: figures } = await machine()
    expect(nearLimits).toEqual([{ userId: ben.userId, quota: 'awakeSandboxes', used: 1, limit: 1, resetsAt: null }])
    expect(requests).toMatchObject([{ userId: ben.userId, quota: 'concurrentRuns', note: 'For a report.' }])
    expect(spend).toMatchObject({ costMicroUsd: 0, models: [] })
    expect(status).toBeGreaterThanOrEqual(500)
    expect(errors).toMatchObject([{ code: body.error.code, count: 1 }])
    expect(figures).toBeNull()
  })

  test('O12: one measurement every 5 minutes becomes a chart, and is removed after 30 days', async () => {
    const { sampler } = server.areas.installation
    const rows = () => tablesIn(server.open).selectFrom('machine_samples').selectAll().orderBy('at').execute()
    await sampler.measure()
    await sampler.measure()
    expect(await rows()).toHaveLength(1)
    server.clock.now += slotMs
    await awakeThread()
    await sampler.measure()
    const history = (await call(owner, 'GET', '/machine/history?span=day')).body as MachineHistory
    expect(history).toMatchObject({ stepMs: slotMs, memoryTotalBytes: 24 * GiB })
    expect(history.points.map(({ awake }) => awake)).toEqual([0, 1])
    server.clock.now += 30 * 24 * 3_600_000
    await sampler.measure()
    expect(await rows()).toHaveLength(1)
  })

  test('O12: a host that does not respond is not measured, and the page says so', async () => {
    await host[Symbol.asyncDispose]()
    await expect(server.areas.installation.sampler.measure()).rejects.toThrow()
    const { host: figures, checks } = await machine()
    expect(figures).toBeNull()
    expect(checks).toMatchObject([{ id: 'host-reachable', status: 'failed', cure: expect.stringContaining('doctor') }])
  })
})

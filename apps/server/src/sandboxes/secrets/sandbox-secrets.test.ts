import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Secret, Thread, ThreadSecrets } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'
import { type EgressStandIn, startEgressStandIn } from './egress.test-utils.ts'

const value = 'canary-7f3b9d2e'

onBothDatabases((target) => {
  let directory: string
  let egress: EgressStandIn
  let bench: LifecycleBench
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'threadbox-egress-'))
    egress = await startEgressStandIn(directory)
    bench = await makeLifecycleBench({ ...(await target()), egressSocket: egress.socketPath })
    await bench.start()
    await vi.waitFor(() => expect(bench.host.authorities).toEqual(['an authority']))
  })
  afterEach(async () => {
    await bench[Symbol.asyncDispose]()
    await egress[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  async function request<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await bench.server.call(method, `/api/v1${path}`, { body, person: bench.owner })
    return (response.status === 204 ? undefined : await response.json()) as Body
  }
  const add = (more: object = {}) =>
    request<Secret>('POST', '/secrets', { name: 'SERVICE_TOKEN', value, hosts: ['api.example.org'], ...more })
  const grant = (secretId: string, { threadId = bench.threadId, way = 'brokered' } = {}) =>
    request<ThreadSecrets>('PUT', `/threads/${threadId}/secrets/${secretId}`, { way })
  const revoke = (secretId: string, threadId = bench.threadId) =>
    request<ThreadSecrets>('DELETE', `/threads/${threadId}/secrets/${secretId}`)
  const secretsOf = (threadId = bench.threadId) => request<ThreadSecrets>('GET', `/threads/${threadId}/secrets`)
  const egressOnHost = (sandboxId: string) => bench.host.sandboxes.get(sandboxId)?.egress
  const grantedTo = (sandboxId: string) => egress.grants.get(sandboxId) ?? []

  test('C11: a grant is at the broker, its hosts at the host and its placeholder in the sandbox when the request returns', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add({
      placeholderPrefix: 'ghp_',
      methods: ['GET'],
      pathPrefix: '/v1',
      hosts: ['b.example.org:8443', 'api.example.org'],
    })
    expect(await grant(id)).toMatchObject({ isInEffect: true, problem: null, secrets: [{ id, way: 'brokered' }] })
    const [granted] = grantedTo(sandboxId)
    expect(granted).toMatchObject({
      secretId: id,
      name: 'SERVICE_TOKEN',
      value,
      hosts: ['api.example.org', 'b.example.org:8443'],
      positions: ['header'],
      methods: ['GET'],
      pathPrefix: '/v1',
      header: null,
    })
    expect(granted?.placeholder).toMatch(/^ghp_tbx[a-z0-9]{36}$/)
    expect(bench.host.variables.get(sandboxId)).toEqual({ SERVICE_TOKEN: granted?.placeholder })
    expect(egressOnHost(sandboxId)).toEqual({ kind: 'open', brokered: ['api.example.org', 'b.example.org:8443'] })
  })

  test('C11: revoking returns only when the broker uses the secret no longer, and a new grant has another placeholder', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    await grant(id)
    const before = grantedTo(sandboxId)[0]?.placeholder
    const ended = Promise.withResolvers<void>()
    egress.gate = () => ended.promise
    let hasReturned = false
    const revoked = revoke(id).finally(() => {
      hasReturned = true
    })
    await vi.waitFor(() => expect(egress.orders).toHaveLength(2))
    expect(hasReturned).toBe(false)
    ended.resolve()
    expect(await revoked).toMatchObject({ isInEffect: true, secrets: [{ id, way: null }] })
    expect(grantedTo(sandboxId)).toEqual([])
    expect(bench.host.variables.get(sandboxId)).toEqual({})
    expect(egressOnHost(sandboxId)).toEqual({ kind: 'open' })
    await grant(id)
    expect(grantedTo(sandboxId)[0]?.placeholder).not.toBe(before)
    expect(egress.orders.map(({ revision }) => revision)).toEqual([1, 2, 3])
  })

  test('a placeholder is of one secret and one sandbox, and stays the same when the value changes', async () => {
    const first = await bench.awake()
    const threadId = await bench.newThread()
    const second = await bench.awake(threadId)
    const { id } = await add()
    await grant(id)
    await grant(id, { threadId })
    const placeholders = [first, second].map(({ sandboxId }) => grantedTo(sandboxId)[0]?.placeholder)
    expect(new Set(placeholders).size).toBe(2)
    await request('PATCH', `/secrets/${id}`, { value: `${value}-2` })
    expect([first, second].map(({ sandboxId }) => grantedTo(sandboxId)[0]?.placeholder)).toEqual(placeholders)
    expect(grantedTo(first.sandboxId)).toMatchObject([{ value: `${value}-2` }])
    await request('DELETE', `/secrets/${id}`)
    expect([grantedTo(first.sandboxId), grantedTo(second.sandboxId)]).toEqual([[], []])
  })

  test('a renamed secret leaves no variable of its earlier name', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    await grant(id)
    await request('PATCH', `/secrets/${id}`, { name: 'OTHER_TOKEN' })
    expect(Object.keys(bench.host.variables.get(sandboxId) ?? {})).toEqual(['OTHER_TOKEN'])
    expect(grantedTo(sandboxId)).toMatchObject([{ name: 'OTHER_TOKEN' }])
  })

  test('a thread whose sandbox starts later has its grants from its first program on', async () => {
    const { id } = await add()
    expect(await grant(id)).toMatchObject({ isInEffect: true })
    const { sandboxId } = await bench.awake()
    expect(grantedTo(sandboxId)).toHaveLength(1)
    expect(bench.host.variables.get(sandboxId)).toEqual({ SERVICE_TOKEN: grantedTo(sandboxId)[0]?.placeholder })
    expect(egressOnHost(sandboxId)).toMatchObject({ brokered: ['api.example.org'] })
  })

  test('without the broker a grant is saved but not in effect, and sent as soon as the broker can be reached', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    egress.gate = () => Promise.reject(new Error('not now'))
    expect(await grant(id)).toMatchObject({ isInEffect: false, problem: 'broker-unreachable' })
    expect(grantedTo(sandboxId)).toEqual([])
    egress.gate = async () => {}
    await vi.waitFor(() => expect(grantedTo(sandboxId)).toHaveLength(1), { timeout: 5000 })
    expect(await secretsOf()).toMatchObject({ isInEffect: true, problem: null })
  })

  test('a sandbox that is no longer awake lacks no variables: it gets them when it wakes', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    bench.host.variables.set = () => {
      throw new Error('the sandbox is just ending')
    }
    expect(await grant(id)).toMatchObject({ isInEffect: false, problem: 'sandbox-unreachable' })
    Reflect.deleteProperty(bench.host.variables, 'set')
    expect((await bench.call('POST', '/pause')).status).toBe(200)
    expect(await secretsOf()).toMatchObject({ isInEffect: true, problem: null })
    await bench.awake()
    expect(Object.keys(bench.host.variables.get(sandboxId) ?? {})).toEqual(['SERVICE_TOKEN'])
  })

  test('a broker that restarted gets all grants again, and loses those that ended while it ran', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    await grant(id)
    const before = grantedTo(sandboxId)
    egress.restart()
    await vi.waitFor(() => expect(grantedTo(sandboxId)).toEqual(before), { timeout: 5000 })
    egress.gate = () => Promise.reject(new Error('not now'))
    expect(await revoke(id)).toMatchObject({ isInEffect: false, problem: 'broker-unreachable' })
    expect(grantedTo(sandboxId)).toEqual(before)
    egress.gate = async () => {}
    await vi.waitFor(() => expect(grantedTo(sandboxId)).toEqual([]), { timeout: 5000 })
  })

  test('a thread that moves or is deleted loses what its workspace gave it', async () => {
    const { id: workspaceId } = await request<{ id: string }>('POST', '/workspaces', { name: 'Shared' })
    await request('PATCH', `/threads/${bench.threadId}`, { workspaceId })
    const { sandboxId } = await bench.awake()
    const { id } = await add({ owner: 'workspace', workspaceId })
    await request('PUT', `/secrets/${id}/workspaces/${workspaceId}`)
    expect(grantedTo(sandboxId)).toHaveLength(1)
    await request('PATCH', `/threads/${bench.threadId}`, { workspaceId: null })
    expect(grantedTo(sandboxId)).toEqual([])
    await request('PATCH', `/threads/${bench.threadId}`, { workspaceId })
    expect(grantedTo(sandboxId)).toHaveLength(1)
    await request('DELETE', `/threads/${bench.threadId}`)
    expect(grantedTo(sandboxId)).toEqual([])
  })

  test('a value given directly is in the sandbox and not at the broker, and marks the thread', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    const { taintedAt } = await grant(id, { way: 'direct' })
    expect(taintedAt).toBe(bench.server.clock.now)
    expect(bench.host.variables.get(sandboxId)).toEqual({ SERVICE_TOKEN: value })
    expect(grantedTo(sandboxId)).toEqual([])
    expect(egressOnHost(sandboxId)).toEqual({ kind: 'open' })
    expect(await revoke(id)).toMatchObject({ taintedAt })
    expect(bench.host.variables.get(sandboxId)).toEqual({})
  })

  test('the last use is shown, without what was refused', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    await grant(id)
    const used = { sandboxId, secretId: id, host: 'api.example.org', method: 'GET', path: '/', status: 200 }
    egress.emit({ type: 'used', ...used, refused: 'secret.not-usable-here', at: 1 })
    egress.emit({ type: 'used', ...used, refused: null, at: 1_234 })
    await vi.waitFor(async () => {
      expect((await request<{ secrets: Secret[] }>('GET', '/secrets')).secrets).toMatchObject([{ lastUsedAt: 1_234 }])
    })
  })

  test('C11: a thread from an agent has the grants that the thread has which the agent was saved from, as placeholders', async () => {
    const { sandboxId } = await bench.awake()
    const [{ id }, direct] = [await add(), await add({ name: 'DIRECT_TOKEN' })]
    await grant(id)
    await grant(direct.id, { way: 'direct' })
    const environment = await request<{ id: string }>('POST', `/threads/${bench.threadId}/environments`, {})
    const body = { name: 'Agent', environment: { id: environment.id } }
    const agent = await request<{ id: string }>('POST', '/agents', body)
    const started = async () => {
      const { id: threadId } = await request<{ id: string }>('POST', `/agents/${agent.id}/threads`, {})
      return { threadId, ...(await bench.awake(threadId)) }
    }
    const first = await started()
    expect(grantedTo(first.sandboxId)).toMatchObject([{ secretId: id }])
    expect(grantedTo(first.sandboxId)[0]?.placeholder).not.toBe(grantedTo(sandboxId)[0]?.placeholder)
    expect(Object.keys(bench.host.variables.get(first.sandboxId) ?? {})).toEqual(['SERVICE_TOKEN'])
    expect((await secretsOf(first.threadId)).taintedAt).not.toBe(null)
    await revoke(id)
    expect(grantedTo((await started()).sandboxId)).toEqual([])
  })

  test('C11: a fork has its own placeholder, and none of a secret that its owner doesn’t have', async () => {
    const { sandboxId } = await bench.awake()
    const { id } = await add()
    await grant(id)
    const fork = await request<Thread>('POST', `/threads/${bench.threadId}/fork`, {})
    const forked = await bench.awake(fork.id)
    expect(bench.host.variables.get(forked.sandboxId)).toEqual({
      SERVICE_TOKEN: grantedTo(forked.sandboxId)[0]?.placeholder,
    })
    expect(grantedTo(forked.sandboxId)[0]?.placeholder).not.toBe(grantedTo(sandboxId)[0]?.placeholder)
    const other = await bench.server.addPerson('other')
    const copy = await bench.server.areas.threads.threads.create(other.userId, {})
    await bench.server.areas.threads.secrets.grants.inherit(bench.threadId, {
      id: copy.id,
      user_id: other.userId,
      workspace_id: null,
      is_private: 0,
      is_personal_off: 0,
    })
    const copied = await bench.awake(copy.id)
    expect([grantedTo(copied.sandboxId), bench.host.variables.get(copied.sandboxId)]).toEqual([[], undefined])
  })
})

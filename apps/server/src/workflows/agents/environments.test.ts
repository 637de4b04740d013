import type { Agent, AgentDetails, Environment, Thread } from '@threadbox/protocol/public'
import { emptyRescue, type HostStandIn, nothingCleaned, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const token = 'a-token-that-is-kept'
const gitToken = 'a-token-of-git-that-is-kept'

onBothDatabases((target) => {
  let host: HostStandIn
  let server: TestApplication
  let owner: TestPerson
  let threadId: string
  beforeEach(async () => {
    host = await startHostStandIn()
    server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath })
    owner = await server.signUpOwner()
    threadId = (await server.areas.threads.threads.create(owner.userId, { title: 'The source' })).id
    await server.start()
    await host.followed()
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  const call = (method: string, path: string, body?: unknown, person = owner) =>
    server.call(method, `/api/v1${path}`, { person, body })
  const request = async <Answer>(method: string, path: string, body?: unknown, person = owner) =>
    (await (await call(method, path, body, person)).json()) as Answer
  const codeOf = async (method: string, path: string, body?: unknown, person = owner) =>
    (await request<{ error?: { code: string } }>(method, path, body, person)).error?.code
  let keys = 0
  const say = async (text: string) => {
    keys += 1
    await server.areas.turns.turns.send(threadId, { text, attachmentIds: [], key: `key-of-the-test-${keys}` })
    await server.areas.turns.turns.settled(threadId)
    await server.areas.turns.snapshots.idle()
  }
  const capture = () => request<Environment>('POST', `/threads/${threadId}/environments`)
  /** Inserts a started service, because the stand-in runs none. */
  const addService = async (command: string) => {
    const row = { thread_id: threadId, name: 'site', position: 1, command, port: 8000, cwd: '', environment_json: '{}' }
    const state = { ready_timeout_ms: 1000, key: 'key', boot_id: null, state: 'running' as const, since: 1 }
    await tablesIn(server.open)
      .insertInto('services')
      .values({ ...row, ...state, problem_json: null })
      .execute()
  }
  const sandboxes = () => [...host.sandboxes.keys()]
  const passes = async (milliseconds: number) => {
    server.clock.now += milliseconds
    // Planning wakes the loop that runs operations.
    await server.areas.platform.operations.plan({ kind: 'none', subjectId: 'none', dueAt: server.clock.now })
  }

  test('an empty thread and a thread of another user are not captured, and another user cannot use an environment', async () => {
    expect(await codeOf('POST', `/threads/${threadId}/environments`)).toBe('environment.empty')
    const other = await server.addPerson('other')
    expect(await codeOf('POST', `/threads/${threadId}/environments`, undefined, other)).toBe('thread.not-found')
    await say('/run true')
    const { id } = await capture()
    expect(await codeOf('GET', `/environments/${id}`, undefined, other)).toBe('environment.not-found')
    expect(await codeOf('POST', '/agents', { name: 'A', environment: { id } }, other)).toBe('environment.not-found')
    expect(await codeOf('DELETE', `/environments/${id}`, undefined, other)).toBe('environment.not-found')
    expect(await codeOf('POST', '/agents', { name: 'A', environment: { id: 'none' } })).toBe('environment.not-found')
  })

  test.each(['fork', 'clean'] as const)('a failed capture (%s) leaves nothing', async (order) => {
    await say('/run true')
    const before = sandboxes()
    host.fail(order, { code: 'disk.pool-full', kind: 'out-of-space' })
    expect(await codeOf('POST', `/threads/${threadId}/environments`)).toBe('disk.pool-full')
    await expect.poll(sandboxes).toEqual(before)
    expect(await server.areas.sandboxes.inside.store.find(threadId)).toMatchObject({ state: 'active' })
  })

  test.each(['pause', 'demote'] as const)(
    'if memory cannot be saved (%s), the environment says so and contains the files',
    async (order) => {
      await say('/run true')
      host.fail(order, { code: 'sandbox.memory-not-saved', kind: 'internal' })
      const environment = await capture()
      expect(environment.notCaptured.memoryProblem).toContain('sandbox.memory-not-saved')
      expect(environment.captured.variables.names).toEqual([])
      expect([...host.sandboxes.values()].filter(({ bootId }) => bootId !== null)).toHaveLength(1)
    },
  )

  test('C11: a capture is a stopped copy without stored secrets, and is kept for an hour', async () => {
    await say('/run true')
    const before = sandboxes()
    await request('POST', '/connections', {
      name: 'Store',
      url: 'http://127.0.0.1:9/mcp',
      auth: { kind: 'bearer', token },
    })
    await request('POST', '/git-credentials', {
      address: 'github.com',
      username: 'somebody',
      token: gitToken,
      access: 'read',
    })
    await addService(`serve ${token}`)
    const variable = { context: 'main', type: 'int', bytes: 8, method: 'data' as const }
    host.rescue = {
      ...emptyRescue(),
      variables: [
        { ...variable, name: 'rate', outcome: 'kept', reason: '' },
        { ...variable, name: 'lock', outcome: 'lost', method: 'none', reason: 'it is a lock' },
      ],
    }
    host.cleaned = { ...nothingCleaned(), removed: [{ path: '/home/user/.ssh', kind: 'credentials' }] }
    const environment = await capture()
    expect(environment).toMatchObject({
      captured: { variables: { names: ['rate'] }, services: [{ name: 'site', command: 'serve ********' }] },
      notCaptured: {
        removed: [{ path: '/home/user/.ssh' }],
        variables: [{ name: 'lock', reason: 'it is a lock' }],
        memoryProblem: '',
      },
    })
    expect(host.cleans).toEqual([{ secrets: [gitToken, token] }])
    const [copy = ''] = sandboxes().filter((id) => !before.includes(id))
    expect(host.sandboxes.get(copy)).toMatchObject({ bootId: null })
    expect((await server.areas.sandboxes.inside.store.find(threadId))?.state).toBe('active')
    await passes(61 * 60_000)
    await expect.poll(sandboxes).toEqual(before)
    await expect.poll(() => codeOf('GET', `/environments/${environment.id}`)).toBe('environment.not-found')
  })

  test('the conversation continues once the copy exists, however long cleaning takes', async () => {
    await say('/run true')
    const release = host.hold('clean')
    const captured = capture()
    await expect.poll(() => host.asked('clean')).toBe(1)
    await say('/run echo meanwhile')
    release()
    expect((await captured).notCaptured.memoryProblem).toBe('')
  })

  test('a discarded environment is deleted immediately, and one that an agent uses cannot be discarded', async () => {
    await say('/run true')
    const before = sandboxes()
    const [first, second] = [await capture(), await capture()]
    await request('DELETE', `/environments/${first.id}`)
    expect(await codeOf('POST', '/agents', { name: 'A', environment: { id: first.id } })).toBe('environment.not-found')
    await expect.poll(() => sandboxes().length).toBe(before.length + 1)
    await request('POST', '/agents', { name: 'A', environment: { id: second.id } })
    expect(await codeOf('DELETE', `/environments/${second.id}`)).toBe('environment.not-found')
    await passes(61 * 60_000)
    expect((await request<Environment>('GET', `/environments/${second.id}`)).expiresAt).toBeNull()
  })

  test('C11: threads start with copies of the environment and with its services; selected findings are overwritten first', async () => {
    await say('/run true')
    await addService('serve')
    const { id } = await capture()
    const redact = [{ path: '/home/user/.env', rule: 'github-token' }]
    const agent = await request<Agent>('POST', '/agents', { name: 'A', environment: { id, redact } })
    expect(host.cleans.at(-1)).toEqual({ secrets: [], redact })
    expect(agent.current.environment).toMatchObject({ id, services: ['site'] })
    await request('DELETE', `/threads/${threadId}`)
    await passes(60_000)
    await expect.poll(() => server.areas.sandboxes.inside.store.find(threadId)).toBeUndefined()
    const started = await Promise.all([1, 2, 3].map(() => request<Thread>('POST', `/agents/${agent.id}/threads`, {})))
    expect(started.map(({ sandbox }) => sandbox.state)).toEqual(['cold', 'cold', 'cold'])
    expect(new Set(await Promise.all(started.map(async (one) => (await rowOf(one.id))?.id))).size).toBe(3)
    for (const one of started) {
      const { services } = await server.areas.sandboxes.services.list(one.id)
      expect(services.map(({ name, command }) => `${name} ${command}`)).toEqual(['site serve'])
    }
    host.fail('fork', { code: 'disk.pool-full', kind: 'out-of-space' })
    expect(await codeOf('POST', `/agents/${agent.id}/threads`, {})).toBe('disk.pool-full')
    const { threads } = await request<{ threads: Thread[] }>('GET', '/threads')
    expect(threads).toHaveLength(3)
  })
  const captureLive = () => request<Environment>('POST', `/threads/${threadId}/environments`, { keepMemory: true })

  test('C11: with its memory the copy is paused, and threads start awake with its running services', async () => {
    await say('/run true')
    await addService('serve')
    const environment = await captureLive()
    expect(environment.memory).toEqual({ kept: true, bytes: 4096 })
    expect(host.cleans).toEqual([])
    expect(host.preserves).toMatchObject([{ secrets: [], budgets: { withoutInputs: true } }])
    const agent = await request<Agent>('POST', '/agents', { name: 'A', environment: { id: environment.id } })
    expect(agent.current.environment).toMatchObject({ memoryBytes: 4096 })
    const started = await request<Thread>('POST', `/agents/${agent.id}/threads`, {})
    expect(started.sandbox.state).toBe('active')
    const { services } = await server.areas.sandboxes.services.list(started.id)
    expect(services.map(({ name, status }) => `${name} ${status}`)).toEqual(['site running'])
  })

  test('C11: memory that contains a secret is not kept, and the reason is reported', async () => {
    await say('/run true')
    const traces = [{ kind: 'credentials' as const, count: 2 }]
    host.preserved = { kept: false, reason: 'secret-found', detail: '', traces }
    const { memory, id } = await captureLive()
    expect(memory).toEqual({ kept: false, reason: 'secret-found', detail: '', traces })
    const agent = await request<Agent>('POST', '/agents', { name: 'A', environment: { id } })
    expect(agent.current.environment).toMatchObject({ memoryBytes: null })
    expect((await request<Thread>('POST', `/agents/${agent.id}/threads`, {})).sandbox.state).toBe('cold')
  })

  test('if memory cannot be saved, the capture reports it, and the copy is cleaned and kept', async () => {
    await say('/run true')
    host.fail('preserve', { code: 'sandbox.no-room-for-memory', kind: 'out-of-space' })
    const { memory, id } = await captureLive()
    expect(memory).toMatchObject({ kept: false, reason: 'not-saved' })
    expect(host.cleans).toHaveLength(1)
    expect(await codeOf('GET', `/environments/${id}`)).toBeUndefined()
  })

  test('selected findings are overwritten under the memory, which is discarded when it contains them too', async () => {
    await say('/run true')
    const { id } = await captureLive()
    const redact = [{ path: '/home/user/.env', rule: 'github-token' }]
    host.preserved = { kept: false, reason: 'secret-found', detail: '', traces: [{ kind: 'finding', count: 1 }] }
    const agent = await request<Agent>('POST', '/agents', { name: 'A', environment: { id, redact } })
    expect(host.preserves.at(-1)).toMatchObject({ redact })
    expect(agent.current.environment).toMatchObject({ memoryBytes: null })
    expect((await request<Environment>('GET', `/environments/${id}`)).memory).toMatchObject({ reason: 'secret-found' })
  })
  const rowOf = (id: string) => server.areas.sandboxes.inside.store.find(id)

  test('a thread whose disk came from an agent is not rewound to before its first message', async () => {
    await say('/run true')
    const { id } = await capture()
    const agent = await request<Agent>('POST', '/agents', { name: 'A', environment: { id } })
    const started = await request<Thread>('POST', `/agents/${agent.id}/threads`, {})
    server.clock.now += 1000
    const message = { text: '/run true', attachmentIds: [], key: 'key-of-the-first' }
    const { entryId } = await server.areas.turns.turns.send(started.id, message)
    await server.areas.turns.turns.settled(started.id)
    expect(await codeOf('POST', `/threads/${started.id}/rewind`, { entryId })).toBe('rewind.snapshot-gone')
  })

  test('C11: an environment and its sandbox are deleted with the last version that uses it', async () => {
    await say('/run true')
    const before = sandboxes()
    const [first, second] = [await capture(), await capture()]
    const { id } = await request<Agent>('POST', '/agents', { name: 'A', environment: { id: first.id } })
    await request('PATCH', `/agents/${id}`, { instructions: 'With the same computer.' })
    await request('PATCH', `/agents/${id}`, { environment: { id: second.id } })
    const { versions } = await request<AgentDetails>('GET', `/agents/${id}`)
    expect(versions.map(({ environment }) => environment?.id)).toEqual([second.id, first.id, first.id])
    await request('DELETE', `/agents/${id}/versions/1`)
    await passes(1000)
    expect(await codeOf('GET', `/environments/${first.id}`)).toBeUndefined()
    await request('DELETE', `/agents/${id}/versions/2`)
    await expect.poll(() => sandboxes().length).toBe(before.length + 1)
    await expect.poll(() => codeOf('GET', `/environments/${first.id}`)).toBe('environment.not-found')
    await request('DELETE', `/agents/${id}`)
    await expect.poll(sandboxes).toEqual(before)
  })

  test('a late host reply leaves no sandbox, and an interrupted save keeps the environment that it names', async () => {
    await say('/run true')
    const before = sandboxes()
    host.loseAnswer = (order) => order === 'fork'
    expect(await codeOf('POST', `/threads/${threadId}/environments`)).toBe('host.unreachable')
    host.loseAnswer = () => false
    await expect.poll(sandboxes).toEqual(before)
    const { id } = await capture()
    const agent = await request<Agent>('POST', '/agents', { name: 'A', environment: { id } })
    // As if the server had stopped right after it recorded the version.
    await tablesIn(server.open).updateTable('agent_environments').set({ state: 'ready' }).execute()
    await server.areas.platform.operations.plan({ kind: 'erase-environment', subjectId: id, dueAt: server.clock.now })
    await expect.poll(() => server.areas.platform.operations.isPlanned('erase-environment', id)).toBe(false)
    expect((await request<Environment>('GET', `/environments/${id}`)).expiresAt).toBeNull()
    expect((await request<Thread>('POST', `/agents/${agent.id}/threads`, {})).sandbox.state).toBe('cold')
  })
})

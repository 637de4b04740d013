import type { Agent, Agents, Environment, ImportedAgent, Skills, Thread } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const token = 'a-token-that-is-kept'
const address = 'http://127.0.0.1:9/mcp'
const skillText = '---\nname: counting\ndescription: Counts.\n---\nCount.\n'

onBothDatabases((target) => {
  let host: HostStandIn
  let server: TestApplication
  let owner: TestPerson
  let other: TestPerson
  beforeEach(async () => {
    host = await startHostStandIn()
    server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath })
    owner = await server.signUpOwner()
    other = await server.addPerson('other')
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
  const exported = async (agent: Agent, person = owner) => {
    const response = await call(
      'GET',
      `/agents/${agent.id}/versions/${agent.current.version}/export`,
      undefined,
      person,
    )
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const send = (bytes: Uint8Array, person = other, query = '') =>
    call('POST', `/agents/import${query}`, new Blob([new Uint8Array(bytes)]).stream(), person)
  const imported = async (bytes: Uint8Array, person = other) =>
    (await (await send(bytes, person)).json()) as ImportedAgent
  const codeOf = async (bytes: Uint8Array, query = '') =>
    ((await (await send(bytes, other, query)).json()) as { error?: { code: string } }).error?.code
  const addSkill = async (person: TestPerson, text = skillText) => {
    const headers = { 'content-type': 'text/markdown' }
    const response = await server.call('POST', '/api/v1/skills', { person, body: text, headers })
    return ((await response.json()) as { id: string }).id
  }
  const addConnection = async (person: TestPerson, url: string, secret = token) => {
    const body = { name: 'Store', url, auth: { kind: 'bearer', token: secret } }
    return (await request<{ id: string }>('POST', '/connections', body, person)).id
  }
  const agentsOf = async (person: TestPerson) => (await request<Agents>('GET', '/agents', undefined, person)).agents
  const skillsOf = async (person: TestPerson) => (await request<Skills>('GET', '/skills', undefined, person)).skills
  const sandboxes = () => [...host.sandboxes.keys()]
  /** The file with a changed head. */
  const withHead = (bytes: Buffer, change: (head: Record<string, unknown>) => void) => {
    const start = bytes.indexOf('\n') + 1
    const end = bytes.indexOf('\n', start)
    const head = JSON.parse(bytes.subarray(start, end).toString()) as Record<string, unknown>
    change(head)
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(`${JSON.stringify(head)}\n`), bytes.subarray(end + 1)])
  }

  /** An agent that uses every field. */
  const makeAgent = async (captured: { keepMemory?: boolean } = {}) => {
    const threadId = (await server.areas.threads.threads.create(owner.userId, { title: 'The source' })).id
    await server.areas.turns.turns.send(threadId, { text: '/run true', attachmentIds: [], key: 'key-of-the-test' })
    await server.areas.turns.turns.settled(threadId)
    await server.areas.turns.snapshots.idle()
    const row = { thread_id: threadId, name: 'site', position: 1, command: `serve ${token}`, port: 8000, cwd: '' }
    const state = { ready_timeout_ms: 1000, key: 'key', boot_id: null, state: 'running' as const, since: 1 }
    const environment_json = JSON.stringify({ CITY: 'Oslo' })
    await tablesIn(server.open)
      .insertInto('services')
      .values({ ...row, ...state, environment_json, problem_json: null })
      .execute()
    const { id } = await request<Environment>('POST', `/threads/${threadId}/environments`, captured)
    return await request<Agent>('POST', '/agents', {
      name: 'Analyst',
      description: 'Counts.',
      instructions: `Use ${token}.`,
      skillIds: [await addSkill(owner)],
      connectionIds: [await addConnection(owner, `${address}?key=${token}`)],
      environment: { id },
    })
  }

  test('a file that is not an agent file, has another format, is truncated or has extra data creates nothing', async () => {
    const { bytes } = await exported(await makeAgent())
    const before = sandboxes()
    expect(await codeOf(Buffer.from('PK'))).toBe('agent-file.damaged')
    expect(await codeOf(Buffer.alloc(0))).toBe('agent-file.damaged')
    expect(await codeOf(bytes.subarray(0, 100))).toBe('agent-file.damaged')
    expect(await codeOf(Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(17 * 1024 * 1024, 'a')]))).toBe(
      'agent-file.damaged',
    )
    expect(await codeOf(withHead(bytes, (head) => Object.assign(head, { format: 2 })))).toBe('agent-file.other-format')
    const wrong: Record<string, unknown>[] = [
      { name: '' },
      { name: 'two\nlines' },
      { instructions: 'a'.repeat(20_001) },
      { skills: [{ name: '../x', sizeBytes: 5 }] },
      { skills: [{ name: 'counting', sizeBytes: 10 ** 12 }] },
      { computer: { imageId: 'image' } },
      { computer: null },
    ]
    for (const change of wrong) {
      const file = withHead(bytes, (head) => Object.assign(head, change))
      expect(await codeOf(file), JSON.stringify(change).slice(0, 60)).toBe('agent-file.damaged')
    }
    // First the skill is truncated, then its content differs.
    const skillAt = bytes.indexOf('\n', 16) + 1
    expect(await codeOf(bytes.subarray(0, skillAt + 20))).toBe('agent-file.damaged')
    const changed = Buffer.from(bytes)
    changed[skillAt] = 0x20
    expect(await codeOf(changed)).toBe('agent-file.damaged')
    expect(await codeOf(bytes, '?workspaceId=none')).toBe('workspace.not-found')
    expect(await agentsOf(other)).toEqual([])
    expect(await skillsOf(other)).toEqual([])
    await expect.poll(sandboxes).toEqual(before)
  })

  test.each([
    [{ code: 'environment.other-image', kind: 'conflict', details: { present: 'b' } }, 'agent-file.other-image'],
    [{ code: 'environment.not-unpacked', kind: 'invalid' }, 'environment.not-unpacked'],
    [{ code: 'environment.disk-too-large', kind: 'too-large' }, 'environment.disk-too-large'],
  ] as const)(
    'an environment that the host rejects (%s) leaves no agent, no skill and no sandbox',
    async (failure, code) => {
      const { bytes } = await exported(await makeAgent())
      const before = sandboxes()
      host.fail('receiveDisk', failure)
      expect(await codeOf(bytes)).toBe(code)
      host.loseAnswer = (order) => order === 'receiveDisk'
      expect(await codeOf(bytes)).toBe('host.unreachable')
      host.loseAnswer = () => false
      await expect.poll(sandboxes).toEqual(before)
      expect([await agentsOf(other), await skillsOf(other)]).toEqual([[], []])
    },
  )

  test('C11: exporting scans an environment with memory again, discards memory that contains a secret, and sends no memory', async () => {
    const agent = await makeAgent({ keepMemory: true })
    expect(agent.current.environment).toMatchObject({ memoryBytes: 4096 })
    const preservesBefore = host.preserves.length
    const { bytes } = await exported(agent)
    expect(host.preserves).toHaveLength(preservesBefore + 1)
    expect(host.preserves.at(-1)).toMatchObject({ secrets: [token], redact: [] })
    expect(await agentsOf(owner)).toMatchObject([{ current: { environment: { memoryBytes: 4096 } } }])
    expect((await imported(bytes)).agent.current.environment).toMatchObject({ memoryBytes: null })
    host.preserved = { kept: false, reason: 'secret-found', detail: '', traces: [] }
    await exported(agent)
    expect(await agentsOf(owner)).toMatchObject([{ current: { environment: { memoryBytes: null } } }])
  })

  test('an agent of another user and a missing version are not exported', async () => {
    const agent = await makeAgent()
    expect((await exported(agent, other)).response.status).toBe(404)
    expect((await call('GET', `/agents/${agent.id}/versions/7/export`)).status).toBe(404)
    expect((await call('GET', `/agents/${agent.id}/versions/x/export`)).status).toBe(404)
  })

  test('C11: an exported agent contains no secrets and can be imported by another user', async () => {
    const agent = await makeAgent()
    const { response, bytes } = await exported(agent)
    expect(response.headers.get('content-disposition')).toContain('Analyst.threadbox-agent')
    // The search for the token below covers the disk.
    expect(bytes.includes('the disk')).toBe(true)
    expect(bytes.includes(token)).toBe(false)
    // Secrets stored since the capture are removed too.
    expect(host.cleans.at(-1)).toMatchObject({ secrets: [token] })
    const { agent: made, needs } = await imported(bytes)
    expect(made).toMatchObject({ name: 'Analyst', description: 'Counts.', workspaceId: null })
    expect(made.current).toMatchObject({ version: 1, instructions: 'Use ********.', connectionIds: [] })
    expect(made.current.environment).toMatchObject({ services: ['site'] })
    expect(needs).toEqual([{ kind: 'connection', name: 'Store', url: address }])
    const [skill] = await skillsOf(other)
    expect([skill?.name, made.current.skillIds]).toEqual(['counting', [skill?.id]])
    expect([...host.received.values()]).toEqual(['the disk'])
    const { id } = await request<Thread>('POST', `/agents/${made.id}/threads`, {}, other)
    const { services } = await server.areas.sandboxes.services.list(id)
    expect(services).toMatchObject([{ name: 'site', command: 'serve ********', environment: { CITY: 'Oslo' } }])
    const environment = made.current.environment?.id
    expect(await request('GET', `/environments/${environment}`, undefined, other)).toMatchObject({ threadId: null })
    // The sandbox is deleted with the agent.
    const before = sandboxes().length
    await request('DELETE', `/agents/${made.id}`, undefined, other)
    await expect.poll(() => sandboxes().length).toBe(before - 1)
  })

  test('C11: an import uses a connection with the same address and a skill with the same content, and keeps names unique', async () => {
    const { bytes } = await exported(await makeAgent())
    const [skillId, connectionId] = [await addSkill(other), await addConnection(other, `${address}?key=another-key`)]
    const first = await imported(bytes)
    expect(first.needs).toEqual([])
    expect(first.agent.current).toMatchObject({ skillIds: [skillId], connectionIds: [connectionId] })
    const second = await imported(bytes)
    expect([first.agent.name, second.agent.name]).toEqual(['Analyst', 'Analyst (2)'])
    await server.call('PUT', `/api/v1/skills/${skillId}/content`, {
      person: other,
      body: `${skillText}More.`,
      headers: { 'content-type': 'text/markdown' },
    })
    const third = await imported(bytes)
    expect(third.needs).toEqual([{ kind: 'skill', name: 'counting', url: null }])
    expect(third.agent.current.skillIds).toEqual([])
  })

  test('C11: an agent without an environment is exported too, and a model that is missing here is named', async () => {
    const agent = await request<Agent>('POST', '/agents', { name: 'Plain', instructions: 'Text.' })
    const { bytes } = await exported(agent)
    const file = withHead(bytes, (head) =>
      Object.assign(head, { model: { provider: 'openai', name: 'Large', model: 'large-1' } }),
    )
    const { agent: made, needs } = await imported(file)
    expect(made.current).toMatchObject({ modelId: null, environment: null, skillIds: null, connectionIds: null })
    expect(needs).toEqual([{ kind: 'model', name: 'large-1', url: null }])
  })
})

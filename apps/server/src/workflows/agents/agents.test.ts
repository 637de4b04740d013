import {
  type Agent,
  type AgentDetails,
  type Agents,
  maxAgentsPerHome,
  type Skill,
  type Thread,
  type ThreadSkills,
  type Workspace,
} from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { skillText } from '../../turns/skills/skill-zip.test-utils.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const call = (method: string, path: string, body?: unknown, person = owner) =>
    server.call(method, `/api/v1${path}`, { person, body })
  const request = async <Answer>(method: string, path: string, body?: unknown, person = owner) =>
    (await (await call(method, path, body, person)).json()) as Answer
  const codeOf = async (method: string, path: string, body?: unknown, person = owner) =>
    (await request<{ error?: { code: string } }>(method, path, body, person)).error?.code
  const add = (body: Record<string, unknown>) => request<Agent>('POST', '/agents', body)
  const names = async (person = owner) =>
    (await request<Agents>('GET', '/agents', undefined, person)).agents.map(({ name }) => name)
  const addSkill = async (name: string, workspaceId?: string) => {
    const query = workspaceId === undefined ? '' : `?workspaceId=${workspaceId}`
    const headers = { 'content-type': 'text/markdown' }
    const sent = { person: owner, body: skillText(name), headers }
    return (await (await server.call('POST', `/api/v1/skills${query}`, sent)).json()) as Skill
  }
  const skillsOf = async (threadId: string) =>
    (await request<ThreadSkills>('GET', `/threads/${threadId}/skills`)).skills.map(({ name }) => name)

  test('an agent can name only skills and connections that its creator may use, and its name is unique', async () => {
    expect(await codeOf('POST', '/agents', { name: 'A', skillIds: ['none'] })).toBe('skill.not-found')
    expect(await codeOf('POST', '/agents', { name: 'A', connectionIds: ['none'] })).toBe('connection.not-found')
    expect(await codeOf('POST', '/agents', { name: 'A', workspaceId: 'none' })).toBe('workspace.not-found')
    const { id } = await add({ name: 'Data analyst' })
    const other = await add({ name: 'Other' })
    expect(await codeOf('POST', '/agents', { name: 'data  ANALYST'.replace('  ', ' ') })).toBe('agent.name-taken')
    expect(await codeOf('PATCH', `/agents/${other.id}`, { name: 'Data Analyst' })).toBe('agent.name-taken')
    expect((await request<Agent>('PATCH', `/agents/${id}`, { name: 'DATA analyst' })).name).toBe('DATA analyst')
    expect(await names()).toEqual(['DATA analyst', 'Other'])
  })

  test('a user can have agents up to the limit and not one more', async () => {
    const { agents } = server.areas.workflows
    for (let count = 0; count < maxAgentsPerHome; count += 1) await agents.create(owner.userId, { name: `a${count}` })
    expect(await codeOf('POST', '/agents', { name: 'one more' })).toBe('agent.limit-reached')
  })

  test('every request for another user’s agent fails as not found', async () => {
    const { id } = await add({ name: 'Mine' })
    const other = await server.addPerson('other')
    expect(await names(other)).toEqual([])
    const tries: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Theirs' }],
      ['PUT', '/current', { version: 1 }],
      ['DELETE', '/versions/1'],
      ['POST', '/threads', {}],
      ['DELETE', ''],
    ]
    for (const [method, rest, body] of tries) {
      expect(await codeOf(method, `/agents/${id}${rest}`, body, other)).toBe('agent.not-found')
    }
    expect(await names()).toEqual(['Mine'])
  })

  test('C11: a changed setup is a new version, and an earlier version can be made the current one again', async () => {
    const { id, current } = await add({ name: 'Analyst', instructions: 'First.' })
    expect(current).toMatchObject({ version: 1, instructions: 'First.', skillIds: null, connectionIds: null })
    expect((await request<Agent>('PATCH', `/agents/${id}`, { description: 'Counts.' })).current.version).toBe(1)
    expect((await request<Agent>('PATCH', `/agents/${id}`, { instructions: 'First.' })).current.version).toBe(1)
    expect((await request<Agent>('PATCH', `/agents/${id}`, { instructions: 'Second.' })).current.version).toBe(2)
    expect(await codeOf('PUT', `/agents/${id}/current`, { version: 3 })).toBe('agent.version-not-found')
    const back = await request<Agent>('PUT', `/agents/${id}/current`, { version: 1 })
    expect(back.current).toMatchObject({ version: 1, instructions: 'First.' })
    expect(await codeOf('DELETE', `/agents/${id}/versions/1`)).toBe('agent.version-current')
    expect(await codeOf('DELETE', `/agents/${id}/versions/3`)).toBe('agent.version-not-found')
    await request('DELETE', `/agents/${id}/versions/2`)
    // A version number is never used twice.
    await request('PATCH', `/agents/${id}`, { instructions: 'Third.' })
    const { versions } = await request<AgentDetails>('GET', `/agents/${id}`)
    expect(versions.map(({ version, instructions }) => [version, instructions])).toEqual([
      [3, 'Third.'],
      [1, 'First.'],
    ])
  })

  test('concurrent changes create versions with different numbers', async () => {
    const { id } = await add({ name: 'Analyst' })
    const texts = Array.from({ length: 8 }, (_, index) => `Text ${index}`)
    await Promise.all(texts.map((instructions) => request('PATCH', `/agents/${id}`, { instructions })))
    const { versions, current } = await request<AgentDetails>('GET', `/agents/${id}`)
    expect(versions.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(new Set(versions.map(({ instructions }) => instructions)).size).toBe(9)
    expect(current).toEqual(versions[0])
  })

  test('C11: a thread keeps the setup of the version that it was started from, also after the agent is deleted', async () => {
    const [table, chart] = [await addSkill('table'), await addSkill('chart')]
    const { id } = await add({ name: 'Analyst', instructions: 'Use tables.', modelId: 'm1', skillIds: [table.id] })
    await request('PATCH', `/agents/${id}`, { instructions: 'Use charts.', modelId: null, skillIds: [chart.id] })
    const now = await request<Thread>('POST', `/agents/${id}/threads`, { title: 'Now' })
    const before = await request<Thread>('POST', `/agents/${id}/threads`, { version: 1 })
    expect(await codeOf('POST', `/agents/${id}/threads`, { version: 3 })).toBe('agent.version-not-found')
    await request('DELETE', `/agents/${id}`)
    expect(now).toMatchObject({
      title: 'Now',
      modelId: null,
      startedFrom: { agentId: id, name: 'Analyst', version: 2 },
    })
    expect(before).toMatchObject({ title: '', modelId: 'm1', startedFrom: { version: 1 } })
    expect(await skillsOf(now.id)).toEqual(['chart'])
    expect(await skillsOf(before.id)).toEqual(['table'])
    const row = await server.areas.threads.inside.store.findAny(before.id)
    expect(row && (await server.areas.threads.setups.of(row))?.instructions).toBe('Use tables.')
    const copy = await request<Thread>('POST', `/threads/${before.id}/fork`, {})
    expect(copy.startedFrom).toEqual(before.startedFrom)
    expect(await skillsOf(copy.id)).toEqual(['table'])
  })

  test('C12: a workspace’s agent starts threads in the workspace, with its skills, and is deleted with the workspace', async () => {
    const workspace = await request<Workspace>('POST', '/workspaces', { name: 'Bike-share' })
    await addSkill('own')
    await addSkill('shared', workspace.id)
    const agent = await add({ name: 'Analyst', workspaceId: workspace.id })
    const thread = await request<Thread>('POST', `/agents/${agent.id}/threads`, {})
    expect(thread.workspaceId).toBe(workspace.id)
    expect(await skillsOf(thread.id)).toEqual(['own', 'shared'])
    await request('PATCH', `/workspaces/${workspace.id}`, { isArchived: true })
    expect(await codeOf('POST', `/agents/${agent.id}/threads`, {})).toBe('workspace.archived')
    await request('DELETE', `/workspaces/${workspace.id}`)
    expect(await names()).toEqual([])
  })

  test('repeating an order creates one thread, and a thread whose creation was interrupted is removed', async () => {
    const { id } = await add({ name: 'Analyst' })
    const { agents } = server.areas.workflows
    const { threadDrafts } = server.areas.threads
    const { store: threadStore } = server.areas.threads.inside
    const { operations } = server.areas.platform
    const order = { agentId: id, ownerId: owner.userId, threadId: 't0123456789abcdefghij' }
    expect(await agents.startThread(order)).toEqual({ threadId: order.threadId, version: 1 })
    await request('PATCH', `/agents/${id}`, { instructions: 'Another.' })
    expect((await agents.startThread(order)).threadId).toBe(order.threadId)
    const { threads } = await request<{ threads: Thread[] }>('GET', '/threads')
    expect(threads.map(({ startedFrom }) => startedFrom?.version)).toEqual([1])
    const like = { user_id: owner.userId, title: '', title_source: 'none', model_id: null, workspace_id: null }
    const cut = await threadDrafts.create(like)
    await expect(agents.startThread({ ...order, threadId: cut })).rejects.toMatchObject({
      code: 'agent.start-interrupted',
    })
    expect(await operations.isPlanned('delete-thread', cut)).toBe(true)
    expect((await threadStore.findAny(cut))?.deleted_at).not.toBeNull()
  })
})

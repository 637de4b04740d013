import type { Agent, AgentDraft, Thread } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import {
  type AgentFileBench,
  addConnection,
  address,
  addSkill,
  belongings,
  everythingIn,
  makeAgentFileBench,
  token,
  withHead,
} from './agent-files.test-utils.ts'
import { skillText } from './small-agent-file.test-utils.ts'

onBothDatabases((target) => {
  let bench: AgentFileBench
  let theirs: ReturnType<typeof belongings>
  beforeEach(async () => {
    bench = await makeAgentFileBench(await target())
    theirs = belongings(bench, bench.other)
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  const imported = async (bytes: Uint8Array) => (await (await bench.send(bytes)).json()) as AgentDraft
  const codeOf = async (bytes: Uint8Array, query = '') =>
    ((await (await bench.send(bytes, bench.other, query)).json()) as { error?: { code: string } }).error?.code
  const accepted = (draft: AgentDraft) =>
    bench.request<Agent>('POST', `/agent-drafts/${draft.id}/accept`, everythingIn(draft), bench.other)
  const sandboxes = () => [...bench.host.sandboxes.keys()]

  test('a file that is not an agent file, has another format, is truncated or has extra data creates nothing', async () => {
    const { bytes } = await bench.exported(await bench.makeAgent())
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
    expect([await theirs.drafts(), await theirs.agents(), await theirs.skills()]).toEqual([[], [], []])
    await expect.poll(sandboxes).toEqual(before)
  })

  test.each([
    [{ code: 'environment.other-image', kind: 'conflict', details: { present: 'b' } }, 'agent-file.other-image'],
    [{ code: 'environment.not-unpacked', kind: 'invalid' }, 'environment.not-unpacked'],
    [{ code: 'environment.disk-too-large', kind: 'too-large' }, 'environment.disk-too-large'],
  ] as const)(
    'an environment that the host rejects (%s) leaves no draft, no skill and no sandbox',
    async (failure, code) => {
      const { bytes } = await bench.exported(await bench.makeAgent())
      const before = sandboxes()
      bench.host.fail('receiveDisk', failure)
      expect(await codeOf(bytes)).toBe(code)
      bench.host.loseAnswer = (order) => order === 'receiveDisk'
      expect(await codeOf(bytes)).toBe('host.unreachable')
      bench.host.loseAnswer = () => false
      await expect.poll(sandboxes).toEqual(before)
      expect([await theirs.drafts(), await theirs.skills()]).toEqual([[], []])
    },
  )

  test('C11: exporting scans an environment with memory again, discards memory that contains a secret, and sends no memory', async () => {
    const agent = await bench.makeAgent({ keepMemory: true })
    expect(agent.current.environment).toMatchObject({ memoryBytes: 4096 })
    const preservesBefore = bench.host.preserves.length
    const { bytes } = await bench.exported(agent)
    expect(bench.host.preserves).toHaveLength(preservesBefore + 1)
    expect(bench.host.preserves.at(-1)).toMatchObject({ secrets: [token], redact: [] })
    expect(await belongings(bench, bench.owner).agents()).toMatchObject([
      { current: { environment: { memoryBytes: 4096 } } },
    ])
    expect((await accepted(await imported(bytes))).current.environment).toMatchObject({ memoryBytes: null })
    bench.host.preserved = { kept: false, reason: 'secret-found', detail: '', traces: [] }
    await bench.exported(agent)
    expect(await belongings(bench, bench.owner).agents()).toMatchObject([
      { current: { environment: { memoryBytes: null } } },
    ])
  })

  test('an agent of another user and a missing version are not exported', async () => {
    const agent = await bench.makeAgent()
    expect((await bench.exported(agent, bench.other)).response.status).toBe(404)
    expect((await bench.call('GET', `/agents/${agent.id}/versions/7/export`)).status).toBe(404)
    expect((await bench.call('GET', `/agents/${agent.id}/versions/x/export`)).status).toBe(404)
  })

  test('C11: an exported agent contains no secrets and can be imported by another user', async () => {
    const agent = await bench.makeAgent()
    const { response, bytes } = await bench.exported(agent)
    expect(response.headers.get('content-disposition')).toContain('Analyst.threadbox-agent')
    // The search for the token below covers the disk.
    expect(bytes.includes('the disk')).toBe(true)
    expect(bytes.includes(token)).toBe(false)
    // Secrets stored since the capture are removed too.
    expect(bench.host.cleans.at(-1)).toMatchObject({ secrets: [token] })
    const draft = await imported(bytes)
    expect(draft.connections).toMatchObject({ isAll: false, items: [{ name: 'Store', url: address, here: null }] })
    const made = await accepted(draft)
    expect(made).toMatchObject({ name: 'Analyst', description: 'Counts.', workspaceId: null })
    expect(made.current).toMatchObject({ version: 1, instructions: 'Use ********.', connectionIds: [] })
    expect(made.current.environment).toMatchObject({ services: ['site'] })
    const [skill] = await theirs.skills()
    expect([skill?.name, made.current.skillIds]).toEqual(['counting', [skill?.id]])
    expect([...bench.host.received.values()]).toEqual(['the disk'])
    const { id } = await bench.request<Thread>('POST', `/agents/${made.id}/threads`, {}, bench.other)
    const { services } = await bench.server.areas.sandboxes.services.list(id)
    expect(services).toMatchObject([{ name: 'site', command: 'serve ********', environment: { CITY: 'Oslo' } }])
    const environment = made.current.environment?.id
    expect(await bench.request('GET', `/environments/${environment}`, undefined, bench.other)).toMatchObject({
      threadId: null,
    })
    // The sandbox is deleted with the agent.
    const before = sandboxes().length
    await bench.request('DELETE', `/agents/${made.id}`, undefined, bench.other)
    await expect.poll(() => sandboxes().length).toBe(before - 1)
  })

  test('C11: an imported agent uses a connection with the same address and a skill with the same content, and keeps names unique', async () => {
    const { bytes } = await bench.exported(await bench.makeAgent())
    const { other } = bench
    const skillId = await addSkill(bench.server, other)
    const connectionId = await addConnection(bench, other, `${address}?key=another-key`)
    const first = await accepted(await imported(bytes))
    expect(first.current).toMatchObject({ skillIds: [skillId], connectionIds: [connectionId] })
    const second = await accepted(await imported(bytes))
    expect([first.name, second.name]).toEqual(['Analyst', 'Analyst (2)'])
    await bench.server.call('PUT', `/api/v1/skills/${skillId}/content`, {
      person: other,
      body: `${skillText}More.`,
      headers: { 'content-type': 'text/markdown' },
    })
    const third = await imported(bytes)
    expect(third.skills.items).toMatchObject([{ name: 'counting', here: 'different' }])
    expect((await accepted(third)).current.skillIds).toEqual([])
  })

  test('C11: an agent without an environment is exported too, and a model that is missing here is named', async () => {
    const agent = await bench.request<Agent>('POST', '/agents', { name: 'Plain', instructions: 'Text.' })
    const { bytes } = await bench.exported(agent)
    const file = withHead(bytes, (head) =>
      Object.assign(head, { model: { provider: 'openai', name: 'Large', model: 'large-1' } }),
    )
    const draft = await imported(file)
    expect(draft.model).toMatchObject({ model: 'large-1', isAvailable: false })
    const made = await accepted(draft)
    expect(made.current).toMatchObject({ modelId: null, environment: null, skillIds: null, connectionIds: [] })
  })
})

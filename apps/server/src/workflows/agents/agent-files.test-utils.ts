import type {
  AcceptAgentDraft,
  Agent,
  AgentDraft,
  AgentDrafts,
  Agents,
  Environment,
  Skills,
} from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { skillText } from './small-agent-file.test-utils.ts'

export const token = 'a-token-that-is-kept'
export const address = 'http://127.0.0.1:9/mcp'

/** The real application with an owner who exports agents and another person who imports them. */
export type AgentFileBench = AsyncDisposable & {
  host: HostStandIn
  server: TestApplication
  owner: TestPerson
  other: TestPerson
  call(method: string, path: string, body?: unknown, person?: TestPerson): Promise<Response>
  request<Answer>(method: string, path: string, body?: unknown, person?: TestPerson): Promise<Answer>
  codeOf(method: string, path: string, body?: unknown, person?: TestPerson): Promise<string | undefined>
  /** An agent that uses every field. */
  makeAgent(captured?: { keepMemory?: boolean }): Promise<Agent>
  exported(agent: Agent, person?: TestPerson): Promise<{ response: Response; bytes: Buffer }>
  send(bytes: Uint8Array, person?: TestPerson, query?: string): Promise<Response>
}

export async function makeAgentFileBench(
  target: { databaseUrl?: string; databaseFile?: string } = {},
): Promise<AgentFileBench> {
  const host = await startHostStandIn()
  const server = await makeTestApplication({ ...target, hostSocket: host.socketPath })
  const owner = await server.signUpOwner()
  const other = await server.addPerson('other')
  await server.start()
  await host.followed()
  const call: AgentFileBench['call'] = (method, path, body, person = owner) =>
    server.call(method, `/api/v1${path}`, { person, body })
  const request: AgentFileBench['request'] = async (...given) => (await (await call(...given)).json()) as never
  const bench = { host, server, owner, other, call, request }
  return {
    ...bench,
    codeOf: async (...given) => (await request<{ error?: { code: string } }>(...given)).error?.code,
    makeAgent: (captured = {}) => makeAgent(bench, captured),
    exported: async (agent, person = owner) => {
      const path = `/agents/${agent.id}/versions/${agent.current.version}/export`
      const response = await call('GET', path, undefined, person)
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    },
    send: (bytes, person = other, query = '') =>
      call('POST', `/agents/import${query}`, new Blob([new Uint8Array(bytes)]).stream(), person),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

type Bench = Pick<AgentFileBench, 'server' | 'owner' | 'request'>

async function makeAgent({ server, owner, request }: Bench, captured: { keepMemory?: boolean }): Promise<Agent> {
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
    skillIds: [await addSkill(server, owner)],
    connectionIds: [await addConnection({ request }, owner, `${address}?key=${token}`)],
    environment: { id },
  })
}

export async function addSkill(server: TestApplication, person: TestPerson, text = skillText): Promise<string> {
  const headers = { 'content-type': 'text/markdown' }
  const response = await server.call('POST', '/api/v1/skills', { person, body: text, headers })
  return ((await response.json()) as { id: string }).id
}

export async function addConnection(
  { request }: Pick<AgentFileBench, 'request'>,
  person: TestPerson,
  url: string,
): Promise<string> {
  // The last part of the path tells two connections of one person apart.
  const name = url.endsWith('/second') ? 'Second store' : 'Store'
  const body = { name, url, auth: { kind: 'bearer', token } }
  return (await request<{ id: string }>('POST', '/connections', body, person)).id
}

/** What a person has: agents, drafts and skills. */
export function belongings({ request }: Pick<AgentFileBench, 'request'>, person: TestPerson) {
  return {
    agents: async () => (await request<Agents>('GET', '/agents', undefined, person)).agents,
    drafts: async () => (await request<AgentDrafts>('GET', '/agent-drafts', undefined, person)).drafts,
    skills: async () => (await request<Skills>('GET', '/skills', undefined, person)).skills,
  }
}

/** Accepts everything that a draft offers. */
export function everythingIn(draft: AgentDraft): AcceptAgentDraft {
  return {
    sha256: draft.file.sha256,
    instructions: true,
    environment: draft.environment !== null,
    variables: draft.environment !== null,
    services: draft.services.map(({ name }) => name),
    skills: draft.skills.items.filter(({ here }) => here !== 'different').map(({ name }) => name),
    connections: draft.connections.items.flatMap(({ here }) => here?.id ?? []),
  }
}

/** The file with a changed head. */
export function withHead(bytes: Buffer, change: (head: Record<string, unknown>) => void): Buffer {
  const start = bytes.indexOf('\n') + 1
  const end = bytes.indexOf('\n', start)
  const head = JSON.parse(bytes.subarray(start, end).toString()) as Record<string, unknown>
  change(head)
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(`${JSON.stringify(head)}\n`), bytes.subarray(end + 1)])
}

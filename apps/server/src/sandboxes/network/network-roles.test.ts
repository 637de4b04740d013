import type { Network, NetworkPolicy } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '../../application.test-utils.ts'
import { type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'

const list = (...names: string[]) => ({ kind: 'allowlist', names, presets: [] }) satisfies NetworkPolicy
const narrow = list('a.org')
const wider = [{ kind: 'open' }, null, list('a.org', 'b.org'), list('*.a.org', 'a.org'), list('a.org:22')] as const
const git = { name: 'git.corp.example', port: 443, range: '10.1.2.0/24' }
const levels = ['installation', 'workspace', 'agent', 'thread', 'list of private addresses'] as const
const senders = [
  'a member, of what is theirs',
  'a member, of what is another’s',
  'a key of a member with every scope',
  'a key of the owner with every scope',
  'the owner without a confirmation',
  'a person who is signed out',
] as const

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

type Sender = Pick<TestPerson, 'headers'> | { headers: Record<string, string> }
async function request<Body>(method: string, path: string, body?: unknown, sender?: Sender): Promise<Body> {
  const { headers } = sender ?? bench.owner
  return (await (await bench.server.call(method, `/api/v1${path}`, { body, headers })).json()) as Body
}
const codeOf = async (method: string, path: string, body: unknown, sender: Sender) =>
  (await request<{ error?: { code: string } }>(method, path, body, sender)).error?.code

/** A workspace, an agent and a thread of this person, each with a policy of its own. */
async function makeLevels(by: Sender) {
  const make = async (path: string, body: object) => (await request<{ id: string }>('POST', path, body, by)).id
  const workspaceId = await make('/workspaces', { name: 'Narrow' })
  const agentId = await make('/agents', { name: 'Reader', workspaceId })
  const threadId = await make(`/agents/${agentId}/threads`, {})
  const paths = {
    installation: '/network',
    workspace: `/workspaces/${workspaceId}/network`,
    agent: `/agents/${agentId}/network`,
    thread: `/threads/${threadId}/network`,
  }
  for (const path of [paths.workspace, paths.agent, paths.thread]) {
    expect(await codeOf('PUT', path, { policy: narrow }, by)).toBe(undefined)
  }
  return { paths, threadId }
}

async function keyOf(person: TestPerson): Promise<Sender> {
  const scopes = ['read', 'work', 'approve', 'share', 'agents', 'workspace', 'admin', 'machine', 'metrics', 'audit']
  const { secret } = await request<{ secret: string }>('POST', '/api-keys', { name: 'all', scopes }, person)
  return { headers: { authorization: `Bearer ${secret}` } }
}

test.each(senders)('G2: %s widens no level, and does not set the list of private addresses', async (who) => {
  const member = await bench.server.addPerson('member')
  await bench.server.confirm(member)
  expect(await codeOf('PUT', '/network', { policy: narrow }, bench.owner)).toBe(undefined)
  expect(await codeOf('PUT', '/network/private-addresses', { addresses: [git] }, bench.owner)).toBe(undefined)
  const isOwnersKey = who === 'a key of the owner with every scope'
  const isOwn = who === 'a member, of what is theirs' || who === 'a key of a member with every scope'
  const made = await makeLevels(isOwn ? member : bench.owner)
  const key = isOwnersKey ? await keyOf(bench.owner) : await keyOf(member)
  const sender: Sender = {
    'a member, of what is theirs': member,
    'a member, of what is another’s': member,
    'a key of a member with every scope': key,
    'a key of the owner with every scope': key,
    'the owner without a confirmation': bench.owner,
    'a person who is signed out': { headers: {} },
  }[who]
  if (who === 'the owner without a confirmation') bench.server.clock.now += 60 * 60_000
  const refusal = /^(auth\.[a-z-]+|workspace\.not-found|agent\.not-found|thread\.not-found)$/
  for (const level of levels) {
    if (level === 'list of private addresses') {
      for (const addresses of [[], [git, { ...git, port: 22 }]]) {
        const code = await codeOf('PUT', '/network/private-addresses', { addresses }, sender)
        expect(code, level).toMatch(refusal)
      }
      continue
    }
    for (const policy of wider) {
      expect(await codeOf('PUT', made.paths[level], { policy }, sender), JSON.stringify([level, policy])).toMatch(
        refusal,
      )
    }
  }
  expect(await codeOf('POST', `${made.paths.thread}/names`, { name: 'b.org' }, sender)).toMatch(refusal)
  // Whether it is refused or not: the agent’s policy goes with the thread.
  await codeOf('PATCH', `/threads/${made.threadId}`, { workspaceId: null }, sender)
  await bench.server.confirm(bench.owner)
  const network = await request<Network>('GET', made.paths.thread, undefined, isOwn ? member : bench.owner)
  expect(network.effective).toEqual({ kind: 'allowlist', names: ['a.org'] })
  expect(network.privateNames).toEqual([])
  expect(await request('GET', '/network/private-addresses')).toEqual({ addresses: [git] })
})

import { networkLevels, networkPresetIds } from '@threadbox/domain'
import type { Agent, AuditEvent, Network, NetworkPolicy, Thread, ThreadNetwork } from '@threadbox/protocol/public'
import { networkLevels as publicLevels, networkPresets as publicPresets } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '../../application.test-utils.ts'
import { type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'

const open = { kind: 'open' } as const
const none = { kind: 'none' } as const
const list = (...names: string[]) => ({ kind: 'allowlist', names, presets: [] }) satisfies NetworkPolicy
const only = (...names: string[]) => ({ kind: 'allowlist', names })

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

type Sender = TestPerson | { headers: Record<string, string> }

async function request<Body>(method: string, path: string, body?: unknown, sender?: Sender): Promise<Body> {
  const { headers } = sender ?? bench.owner
  const response = await bench.server.call(method, `/api/v1${path}`, { body, headers })
  return (await response.json()) as Body
}
const codeOf = async (method: string, path: string, body?: unknown, sender?: Sender) =>
  (await request<{ error?: { code: string } }>(method, path, body, sender)).error?.code
const set = (path: string, policy: NetworkPolicy | null) => request<Network>('PUT', `${path}/network`, { policy })
const networkOf = (threadId = bench.threadId) => request<ThreadNetwork>('GET', `/threads/${threadId}/network`)
const threadPath = () => `/threads/${bench.threadId}`
const onHost = () => [...bench.host.sandboxes.values()].map(({ egress }) => egress)

async function makeLevels() {
  const { id: workspaceId } = await request<{ id: string }>('POST', '/workspaces', { name: 'Narrow' })
  const { id: agentId } = await request<Agent>('POST', '/agents', { name: 'Reader', workspaceId })
  const { id: threadId } = await request<Thread>('POST', `/agents/${agentId}/threads`, {})
  return {
    threadId,
    workspaceId,
    paths: {
      installation: '',
      workspace: `/workspaces/${workspaceId}`,
      agent: `/agents/${agentId}`,
      thread: `/threads/${threadId}`,
    },
  }
}

test('presets and levels are the same in the API as in the decisions', () => {
  expect([publicPresets.toSorted(), publicLevels]).toEqual([networkPresetIds.toSorted(), networkLevels])
})

describe('who can change what', () => {
  test('G2: each level can only narrow: a thread reaches what all levels allow, and names those that decide', async () => {
    const { threadId, paths } = await makeLevels()
    expect(await networkOf(threadId)).toMatchObject({ effective: open, sources: ['installation'], isApplied: true })
    await set(paths.installation, list('*.a.org', 'b.org', 'c.org'))
    await set(paths.workspace, list('x.a.org', 'b.org', 'd.org'))
    expect(await networkOf(threadId)).toMatchObject({
      effective: only('b.org', 'x.a.org'),
      sources: ['installation', 'workspace'],
    })
    await set(paths.agent, list('b.org'))
    expect(await networkOf(threadId)).toMatchObject({ effective: only('b.org'), sources: ['agent'] })
    await set(paths.thread, open)
    const { levels, ...rest } = await networkOf(threadId)
    expect(rest).toMatchObject({ effective: only('b.org'), sources: ['agent'] })
    expect(levels.map(({ level, policy }) => [level, policy?.kind])).toEqual([
      ['installation', 'allowlist'],
      ['workspace', 'allowlist'],
      ['agent', 'allowlist'],
      ['thread', 'open'],
    ])
    await set(paths.thread, none)
    expect(await networkOf(threadId)).toMatchObject({ effective: none, sources: ['thread'] })
  })

  test.each(networkLevels)(
    'G2: the %s is narrowed without a confirmation by keys only below the installation',
    async (level) => {
      const { paths } = await makeLevels()
      const scopes = ['work', 'agents', 'workspace', 'admin', 'read']
      const { secret } = await request<{ secret: string }>('POST', '/api-keys', { name: 'all', scopes })
      const key = { headers: { authorization: `Bearer ${secret}` } }
      const put = (policy: NetworkPolicy | null, sender?: Sender) =>
        codeOf('PUT', `${paths[level]}/network`, { policy }, sender)
      expect(await put(list('a.org', 'b.org'), key)).toBe(
        level === 'installation' ? 'auth.session-required' : undefined,
      )
      expect(await put(list('a.org', 'b.org'))).toBe(undefined)
      const wider = [list('a.org', 'b.org', 'c.org'), open, null]
      for (const policy of wider) expect(await put(policy, key)).toBe('auth.session-required')
      bench.server.clock.now += 60 * 60_000
      for (const policy of wider) expect(await put(policy)).toBe('auth.confirmation-required')
      expect(await put(list('a.org'))).toBe(level === 'installation' ? 'auth.confirmation-required' : undefined)
      const path = level === 'installation' ? '/network' : `${paths[level]}/network`
      const { effective } = await request<Network>('GET', path)
      expect(effective).toEqual(level === 'installation' ? only('a.org', 'b.org') : only('a.org'))
      await bench.server.confirm(bench.owner)
      for (const policy of wider) expect(await put(policy)).toBe(undefined)
    },
  )

  test('G2: a person who isn’t the owner narrows their own threads, agents and workspaces, and widens nothing', async () => {
    const other = await bench.server.addPerson('other')
    const make = (path: string, body: object) => request<{ id: string }>('POST', path, body, other)
    const paths = [
      `/threads/${(await make('/threads', {})).id}`,
      `/workspaces/${(await make('/workspaces', { name: 'Mine' })).id}`,
      `/agents/${(await make('/agents', { name: 'Mine' })).id}`,
    ]
    await bench.server.confirm(other)
    expect(await codeOf('PUT', '/network', { policy: none }, other)).toBe('auth.owner-required')
    for (const path of paths) {
      const put = (policy: NetworkPolicy | null) => codeOf('PUT', `${path}/network`, { policy }, other)
      expect(await put(list('a.org'))).toBe(undefined)
      for (const policy of [open, null, list('b.org'), list('*.a.org')]) {
        expect(await put(policy)).toBe('auth.owner-required')
      }
      expect(await put(none)).toBe(undefined)
      expect(await put(list('a.org'))).toBe('auth.owner-required')
    }
    expect(await codeOf('POST', `${paths[0]}/network/names`, { name: 'a.org' }, other)).toBe(
      'network-policy.nothing-reachable',
    )
    const { paths: owned } = await makeLevels()
    const codes = [owned.workspace, owned.agent, owned.thread].map((path) =>
      Promise.all(
        ['GET', 'PUT'].map((method) =>
          codeOf(method, `${path}/network`, method === 'PUT' ? { policy: none } : undefined, other),
        ),
      ),
    )
    expect(await Promise.all(codes)).toEqual(
      ['workspace', 'agent', 'thread'].map((name) => [`${name}.not-found`, `${name}.not-found`]),
    )
  })

  test('G2: a thread is not moved to where it reaches more, except by the owner who confirmed', async () => {
    const { threadId, workspaceId, paths } = await makeLevels()
    await set(paths.workspace, list('a.org'))
    const wide = await request<{ id: string }>('POST', '/workspaces', { name: 'Wide' })
    bench.server.clock.now += 60 * 60_000
    const move = (to: string | null) => codeOf('PATCH', `/threads/${threadId}`, { workspaceId: to })
    expect(await move(wide.id)).toBe('auth.confirmation-required')
    expect(await move(null)).toBe('auth.confirmation-required')
    expect(await move(workspaceId)).toBe(undefined)
    await bench.server.confirm(bench.owner)
    expect(await move(wide.id)).toBe(undefined)
    expect((await networkOf(threadId)).effective).toEqual(open)
    bench.server.clock.now += 60 * 60_000
    expect(await move(workspaceId)).toBe(undefined)
    expect((await networkOf(threadId)).effective).toEqual(only('a.org'))
  })

  test('G2: threads of a deleted agent keep its policy', async () => {
    const { threadId, paths } = await makeLevels()
    await set(paths.agent, none)
    await request('DELETE', paths.agent)
    expect((await networkOf(threadId)).effective).toEqual(none)
  })
})

describe('what is stored', () => {
  test.each([
    ['', '*', '*.com', '..', 'a..b', '0x7f.1', '::ffff:10.0.0.1', '10.0.0.1', '0.0.0.0/0', `${'a.'.repeat(126)}org`],
    ['a.org:0', 'a.org:65536', 'a.org:53', 'a.org:', '*:443', '0x7f.1:443', '10.0.0.1:443'],
  ])('a list with a bad name is refused as a whole: %j', async (...names) => {
    await set(threadPath(), list('a.org'))
    for (const name of names) {
      expect(await codeOf('PUT', `${threadPath()}/network`, { policy: list('a.org', name) })).toBe(
        'network-policy.name-invalid',
      )
      expect(await codeOf('POST', `${threadPath()}/network/names`, { name })).toBe('network-policy.name-invalid')
    }
    expect((await networkOf()).levels.at(-1)?.policy).toEqual(list('a.org'))
  })

  test('names are limited in length and number', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `n${index}.org`)
    for (const policy of [list('a'.repeat(1_000_000)), list(...many)]) {
      expect(await codeOf('PUT', `${threadPath()}/network`, { policy })).toBe('request.invalid')
    }
    await set(threadPath(), list(...many.slice(0, 200)))
    expect(await codeOf('POST', `${threadPath()}/network/names`, { name: 'b.org' })).toBe(
      'network-policy.too-many-names',
    )
    expect((await networkOf()).effective).toMatchObject({ kind: 'allowlist' })
  })

  test('names are stored in one form, each once, and presets with their names', async () => {
    const policy = {
      kind: 'allowlist',
      names: ['B.org.', 'b.org', 'B.org:8443', '*.例え.example'],
      presets: ['github'],
    } as const
    const { levels, effective } = await set(threadPath(), policy)
    const stored = ['*.xn--r8jz45g.example', 'b.org', 'b.org:8443']
    expect(levels.at(-1)?.policy).toEqual({ kind: 'allowlist', names: stored, presets: ['github'] })
    expect(effective).toEqual({ kind: 'allowlist', names: expect.arrayContaining([...stored, 'api.github.com']) })
  })

  test('the audit log has each change with the policy before and after', async () => {
    await set(threadPath(), list('a.org', 'b.org'))
    await set(threadPath(), list('a.org', 'b.org'))
    bench.server.clock.now += 1
    await set(threadPath(), null)
    const { events } = await request<{ events: AuditEvent[] }>('GET', '/audit')
    const rows = events.filter(({ action }) => action === 'network-policy-changed')
    const listed = { kind: 'allowlist', names: 'a.org b.org', presets: '' }
    const inherited = { kind: 'inherited', names: '', presets: '' }
    expect(rows.map(({ subject, details, before, after }) => ({ subject, details, before, after }))).toEqual([
      { subject: bench.threadId, details: { level: 'thread' }, before: listed, after: inherited },
      { subject: bench.threadId, details: { level: 'thread' }, before: inherited, after: listed },
    ])
  })

  test('a name is allowed in each list that refuses it, and in no level that allows nothing', async () => {
    const { threadId, paths } = await makeLevels()
    await set(paths.installation, list('a.org'))
    await set(paths.agent, list('a.org', 'b.org'))
    await set(paths.thread, list('a.org'))
    const allow = (name: string) => codeOf('POST', `/threads/${threadId}/network/names`, { name })
    expect(await allow('B.org')).toBe(undefined)
    const { levels, effective } = await networkOf(threadId)
    expect(effective).toEqual(only('a.org', 'b.org'))
    expect(levels.map(({ policy }) => policy)).toEqual([
      list('a.org', 'b.org'),
      null,
      list('a.org', 'b.org'),
      list('a.org', 'b.org'),
    ])
    await set(paths.workspace, none)
    expect(await allow('c.org')).toBe('network-policy.nothing-reachable')
    expect((await networkOf(threadId)).levels.at(-1)?.policy).toEqual(list('a.org', 'b.org'))
  })
})

describe('what sandboxes have', () => {
  test('G2: a new sandbox has its thread’s policy, a running and a paused one the changed one when the request returns', async () => {
    await bench.start()
    await set('', list('a.org', 'b.org'))
    await bench.awake()
    expect(onHost()).toEqual([only('a.org', 'b.org')])
    await set(threadPath(), list('a.org'))
    expect(onHost()).toEqual([only('a.org')])
    await request('POST', `${threadPath()}/sandbox/pause`)
    expect(await bench.state()).toBe('paused')
    await set(threadPath(), none)
    expect([onHost(), (await networkOf()).isApplied]).toEqual([[none], true])
    await bench.awake()
    bench.host.endBoot([...bench.host.sandboxes.keys()][0] ?? '', 'stopped')
    await expect.poll(() => bench.state()).toBe('cold')
    await set(threadPath(), null)
    await bench.awake()
    expect(onHost()).toEqual([only('a.org', 'b.org')])
  })

  test('G2: a fork has the policies of its source from its start, and keeps them', async () => {
    const { threadId, paths } = await makeLevels()
    await bench.start()
    await set(paths.agent, list('a.org', 'b.org'))
    await set(paths.thread, list('a.org'))
    await bench.awake(threadId)
    const fork = await request<Thread>('POST', `/threads/${threadId}/fork`, {})
    expect(onHost()).toEqual([only('a.org'), only('a.org')])
    const { levels } = await networkOf(fork.id)
    expect(levels.map(({ level, policy }) => [level, policy])).toEqual([
      ['installation', open],
      ['workspace', null],
      ['agent', list('a.org', 'b.org')],
      ['thread', list('a.org')],
    ])
    await set(paths.agent, none)
    expect(onHost()).toEqual([none, none])
  })

  test('G2: a copy for another person keeps what limits its source, though not the workspace and the agent', async () => {
    const { threadId, paths } = await makeLevels()
    await set(paths.workspace, list('a.org', 'b.org'))
    await set(paths.agent, list('b.org', 'c.org'))
    const other = await bench.server.addPerson('other')
    const { id } = await request<Thread>('POST', '/threads', {}, other)
    const { network } = bench.server.areas.threads
    await network.copy({ threadId, toThreadId: id, isForOther: true })
    const copied = await request<ThreadNetwork>('GET', `/threads/${id}/network`, undefined, other)
    expect(copied).toMatchObject({ effective: only('b.org'), sources: ['thread'] })
  })

  test('G2: a policy that did not reach the host is shown as not applied, and ordered before the next wake', async () => {
    await bench.start()
    await bench.awake()
    await request('POST', `${threadPath()}/sandbox/pause`)
    for (let attempt = 0; attempt < 3; attempt++) bench.host.fail('change', { code: 'host.busy', kind: 'unavailable' })
    await set(threadPath(), none)
    expect([onHost(), (await networkOf()).isApplied]).toEqual([[open], false])
    bench.host.fail('change', { code: 'host.busy', kind: 'unavailable' })
    await expect(bench.awake()).rejects.toMatchObject({ code: 'host.busy' })
    expect(await bench.state()).toBe('paused')
    await bench.awake()
    expect([onHost(), (await networkOf()).isApplied]).toEqual([[none], true])
  })

  test('G2: a policy that was changed while the host was away is ordered when it is back', async () => {
    await bench.start()
    await bench.awake()
    for (let attempt = 0; attempt < 3; attempt++) bench.host.fail('change', { code: 'host.busy', kind: 'unavailable' })
    await set(threadPath(), list('a.org'))
    expect(onHost()).toEqual([open])
    bench.host.closeConnections()
    await expect.poll(onHost, { timeout: 5000 }).toEqual([only('a.org')])
    expect((await networkOf()).isApplied).toBe(true)
  })

  test('what the sandbox reached and what was refused are shown', async () => {
    expect((await networkOf()).activity).toEqual({ knownSince: null, reached: [], refused: [] })
    await bench.start()
    await bench.awake()
    const entry = (name: string) => ({ name, count: 2, isAtLeast: false })
    bench.host.snapshots.namesAsked = {
      knownSince: 5,
      names: [entry('a.org')],
      refused: [{ ...entry('b.org'), reason: 'policy' }],
    }
    expect((await networkOf()).activity).toEqual({
      knownSince: 5,
      reached: [entry('a.org')],
      refused: [{ ...entry('b.org'), reason: 'policy' }],
    })
  })
})

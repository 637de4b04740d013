import { type McpTestServer, startMcpServer } from '@threadbox/testkit'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cookieOf,
  makeTestApplication,
  ownerRequest,
  type TestApplication,
  type TestPerson,
} from './application.test-utils.ts'
import { auditOfRoutes } from './audit-of-routes.test-utils.ts'
import { type Ids, makeIds } from './bad-input.ids.test-utils.ts'
import { badInputRows } from './bad-input.rows.test-utils.ts'
import { tablesIn } from './tables.test-utils.ts'

const host: HostStandIn = await startHostStandIn()
const server: TestApplication = await makeTestApplication({ hostSocket: host.socketPath })

let owner: TestPerson
let ids: Ids
let tools: McpTestServer
beforeAll(async () => {
  owner = await server.signUpOwner()
  ids = await makeIds(server, { person: owner })
  tools = await startMcpServer()
  tools.tools = [{ name: 'echo', answer: () => ({ content: [{ type: 'text', text: 'echo' }] }) }]
})
afterAll(async () => {
  await tools[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

/** Values that the log must not contain: those that were entered, and those that were shown once. */
const canaries = new Set<string>([ownerRequest().password, ownerRequest().token])
function canary(): string {
  const value = `canary-${canaries.size}-${'q'.repeat(12)}`
  canaries.add(value)
  return value
}

type Sent = { rows: Row[]; body: Record<string, unknown> }
type Row = { action: string; subject: string | null; before: unknown; after: unknown; details: unknown }

/** Sends a request as the owner, and returns its response with the rows that the log has since. */
async function send(method: string, path: string, body?: unknown): Promise<Sent> {
  await server.confirm(owner)
  const before = await lastNumber()
  const response = await server.call(method, `/api/v1${path}`, { person: owner, body })
  const answered = await response.json().catch(() => ({}))
  return { rows: await rowsAfter(before), body: answered as Record<string, unknown> }
}

async function lastNumber(): Promise<number> {
  const last = await tablesIn(server.open)
    .selectFrom('audit_events')
    .select((builder) => builder.fn.max('seq').as('seq'))
    .executeTakeFirst()
  return Number(last?.seq ?? 0)
}

async function rowsAfter(seq: number): Promise<Row[]> {
  const rows = await tablesIn(server.open)
    .selectFrom('audit_events')
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .execute()
  const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as unknown))
  return rows.map(({ action, subject, json, before_json, after_json }) => ({
    action,
    subject,
    details: parsed(json),
    before: parsed(before_json),
    after: parsed(after_json),
  }))
}

describe('a row has what was before and after', () => {
  test('for the scopes, the workspaces and the end of an API key', async () => {
    const workspaceIds = [ids.workspaceId]
    const { rows, body } = await send('POST', '/api-keys', { name: 'key', scopes: ['work', 'read'], workspaceIds })
    canaries.add(String(body.secret))
    const state = { name: 'key', scopes: 'read, work', workspaces: ids.workspaceId, expiresAt: expect.any(Number) }
    expect(rows).toEqual([
      expect.objectContaining({ action: 'api-key-created', subject: body.id, before: null, after: state }),
    ])
    expect((await send('DELETE', `/api-keys/${body.id}`)).rows).toEqual([
      expect.objectContaining({ action: 'api-key-deleted', subject: body.id, before: state, after: null }),
    ])
  })

  test('for the address and the prices of a model, without its key', async () => {
    const baseUrl = `http://user:${canary()}@127.0.0.1:9/v1?key=${canary()}`
    const model = { provider: 'openai-compatible', model: 'm', baseUrl, contextTokens: 4096, apiKey: canary() }
    const connected = await send('POST', '/models', model)
    expect(connected.rows).toEqual([
      expect.objectContaining({
        action: 'model-connected',
        after: expect.objectContaining({ address: 'http://127.0.0.1:9/v1', keySource: 'stored' }),
      }),
    ])
    const path = `/models/${connected.body.id}`
    expect((await send('PATCH', path, { inputUsdPerMillion: 2, apiKey: canary() })).rows).toEqual([
      expect.objectContaining({
        action: 'model-changed',
        details: { name: 'm', hasNewKey: true },
        before: { inputUsdPerMillion: null },
        after: { inputUsdPerMillion: 2 },
      }),
    ])
    expect((await send('DELETE', path)).rows).toEqual([
      expect.objectContaining({ action: 'model-removed', after: null }),
    ])
  })

  test('for what a tool is allowed', async () => {
    const auth = { kind: 'bearer', token: canary() }
    const { body } = await send('POST', '/connections', { name: 'Tools', url: tools.url, auth })
    const changed = await send('PATCH', `/connections/${body.id}/tools`, { tools: { echo: 'allow' } })
    expect(changed.rows).toEqual([
      expect.objectContaining({
        action: 'connection-tools-approved',
        subject: body.id,
        before: { echo: 'ask' },
        after: { echo: 'allow' },
      }),
    ])
  })

  test('for the address and the header of a connection, without its secret', async () => {
    const url = `http://127.0.0.1:9/mcp?token=${canary()}`
    const { body, rows } = await send('POST', '/connections', { name: 'Other', url, auth: { kind: 'none' } })
    expect(rows).toEqual([
      expect.objectContaining({
        action: 'connection-created',
        after: expect.objectContaining({ address: 'http://127.0.0.1:9/mcp', auth: 'none' }),
      }),
    ])
    const auth = { kind: 'header', header: 'x-key', value: canary() }
    expect((await send('PATCH', `/connections/${body.id}`, { auth })).rows).toEqual([
      expect.objectContaining({
        action: 'connection-changed',
        before: expect.objectContaining({ auth: 'none', header: null }),
        after: expect.objectContaining({ auth: 'header', header: 'x-key' }),
      }),
    ])
    expect((await send('DELETE', `/connections/${body.id}`)).rows).toEqual([
      expect.objectContaining({ action: 'connection-deleted', after: null }),
    ])
  })

  test('for what a Git credential may do, and for the threads that can use it', async () => {
    const credential = { address: 'git.example', username: 'ada', token: canary(), access: 'read' }
    const { body } = await send('POST', '/git-credentials', credential)
    const change = { access: 'push', repositories: ['ada/site'], token: canary() }
    expect((await send('PATCH', `/git-credentials/${body.id}`, change)).rows).toEqual([
      expect.objectContaining({
        action: 'git-credential-changed',
        details: { address: 'https://git.example', hasNewToken: true },
        before: { access: 'read', repositories: '' },
        after: { access: 'push', repositories: 'ada/site' },
      }),
    ])
    const granted = await send('PUT', `/threads/${ids.threadId}/git-credentials`, { credentialIds: [body.id] })
    expect(granted.rows).toEqual([
      expect.objectContaining({
        action: 'git-credentials-allowed',
        before: { credentials: '' },
        after: { credentials: `https://git.example (${body.id})` },
      }),
    ])
  })

  test('for the limits of a workspace, with the length of its instructions only', async () => {
    const change = { limits: { cpus: 1 }, policy: { idlePauseMinutes: 15 }, instructions: canary() }
    const { rows } = await send('PATCH', `/workspaces/${ids.workspaceId}`, change)
    expect(rows).toEqual([
      expect.objectContaining({
        action: 'workspace-changed',
        before: { instructionsLength: 0, 'limits.cpus': null, 'policy.idlePauseMinutes': null },
        after: { instructionsLength: change.instructions.length, 'limits.cpus': 1, 'policy.idlePauseMinutes': 15 },
      }),
    ])
  })

  test('for a thread that moves, with the workspaces', async () => {
    const { rows } = await send('PATCH', `/threads/${ids.threadId}`, { workspaceId: ids.workspaceId })
    const places = { before: { workspace: null }, after: { workspace: ids.workspaceId } }
    expect(rows).toEqual([expect.objectContaining({ action: 'thread-moved', subject: ids.threadId, ...places })])
    await send('PATCH', `/threads/${ids.threadId}`, { workspaceId: null })
  })

  test('for the policy and the limits of one thread’s sandbox, and none if they stay the same', async () => {
    const path = `/threads/${ids.threadId}/sandbox`
    const change = { policy: { idlePauseMinutes: 45, retentionDays: 7 }, limits: { cpus: 1 } }
    expect((await send('PATCH', path, change)).rows).toEqual([
      expect.objectContaining({
        action: 'sandbox-changed',
        subject: ids.threadId,
        before: { 'policy.idlePauseMinutes': null, 'policy.retentionDays': null, 'limits.cpus': null },
        after: { 'policy.idlePauseMinutes': 45, 'policy.retentionDays': 7, 'limits.cpus': 1 },
      }),
    ])
    expect((await send('PATCH', path, change)).rows).toEqual([])
  })

  test('for a secret that a fork inherits, and for a grant that was refused, also of one that doesn’t exist', async () => {
    const path = `/threads/${ids.threadId}/secrets`
    await send('PUT', `${path}/${ids.secretId}`, { way: 'brokered' })
    const fork = await send('POST', `/threads/${ids.threadId}/fork`, { turnId: null })
    const details = { name: 'SERVICE_TOKEN', threadId: fork.body.id, way: 'brokered', inheritedFrom: ids.threadId }
    expect(fork.rows).toEqual([expect.objectContaining({ action: 'secret-granted', subject: ids.secretId, details })])
    const other = { name: 'SERVICE_TOKEN', value: canary(), hosts: ['x.example'], owner: 'installation' }
    const { body } = await send('POST', '/secrets', other)
    for (const [secretId, reason] of [
      [body.id, 'secret.name-granted'],
      ['missing', 'secret.not-found'],
    ]) {
      const refused = await send('PUT', `${path}/${secretId}`, { way: 'brokered' })
      const row = { action: 'secret-grant-refused', subject: secretId, details: { threadId: ids.threadId, reason } }
      expect(refused.rows).toEqual([expect.objectContaining(row)])
    }
    await send('DELETE', `/secrets/${body.id}`)
  })
})

test('every route that changes something has rows, or a reason to have none', () => {
  const changing = Object.keys(badInputRows).filter((route) => !route.startsWith('GET '))
  expect(Object.keys(auditOfRoutes).toSorted()).toEqual(changing.toSorted())
})

test('no row has a secret, whatever was done: entered, shown once, or in an address', async () => {
  await enterSecrets()
  await undoThings()
  await inviteSomeone()
  await sendEverything()
  await changePassword()
  const rows = await tablesIn(server.open).selectFrom('audit_events').selectAll().execute()
  const done = new Set(rows.map(({ action }) => action))
  expect(done.size).toBeGreaterThan(38)
  expect([...done]).toEqual(expect.arrayContaining(['confirmed', 'password-changed', 'logged-in', 'setting-changed']))
  const missing = Object.entries(auditOfRoutes).flatMap(([, rows]) =>
    typeof rows === 'string' ? [] : rows.filter((action) => !done.has(action)),
  )
  expect(missing.toSorted()).toEqual(inOtherTests)
  expect(canaries.size).toBeGreaterThan(35)
  expect(rows.filter((row) => found(JSON.stringify(row)).length > 0)).toEqual([])
  // The search finds one where it is.
  for (const value of [...canaries]) {
    await server.areas.people.audit.record({ userId: null, action: 'planted', subject: null, details: { value } })
    const planted = await rowsAfter((await lastNumber()) - 1)
    expect(found(JSON.stringify(planted))).toContain(value)
  }
})

/**
 * Rows of what needs a service, a sign-in server, a store, a reviewed file or a passkey, or many guesses: in the tests of share
 * links, OAuth, backups, agent drafts, passkeys and invites. And of people who leave, which ends what this test needs.
 */
const inOtherTests = [
  'agent-file-accepted',
  'backup-started',
  'connection-logged-in',
  'erase-started',
  'erase-started',
  'hand-over-started',
  'handed-over',
  'identity-disconnected',
  'links-guessed',
  'machine-sandbox-stopped',
  'ownership-accepted',
  'ownership-offer-ended',
  'ownership-offered',
  'passkey-counter-behind',
  'passkey-logged-in',
  'person-erased',
  'person-erased',
  'share-link-created',
  'share-link-ended',
  'thread-handed-over',
  'thread-opened',
]

/** What the requests of bad input can’t do, as each starts from the same objects. */
async function undoThings(): Promise<void> {
  const made = async (path: string, body: object) => (await send('POST', path, body)).body
  const { id: threadId } = await made('/threads', { title: 'Another' })
  const link = await made(`/threads/${threadId}/links`, { withFiles: true, allowsCopies: true, expiresInSeconds: null })
  const secret = String(link.url).split('/').at(-1)
  await send('POST', '/shared-threads/copy', { secret })
  await send('DELETE', `/threads/${threadId}/links/${(link.link as { id: string } | undefined)?.id ?? link.id}`)
  await send('DELETE', `/threads/${threadId}`)
  await send('POST', `/threads/${threadId}/restore`)
  const { id: workspaceId } = await made('/workspaces', { name: 'Deleted' })
  await send('DELETE', `/workspaces/${workspaceId}`)
  await send('POST', `/workspaces/${workspaceId}/restore`)
  await send('PATCH', `/secrets/${ids.secretId}`, { value: canary() })
  await send('PATCH', `/skills/${ids.skillId}`, { workspaceId: ids.workspaceId })
  for (const kind of ['schedules', 'webhooks'] as const) {
    const what = kind === 'schedules' ? { cron: '0 0 1 1 *', timeZone: 'UTC' } : {}
    const { id } = await made(`/agents/${ids.agentId}/${kind}`, { name: 'Deleted', input: 'x', ...what })
    await send('DELETE', `/${kind}/${id}`)
  }
}

/** A person who joins, works in a workspace and is signed out, with the secrets of their links and their passwords. */
async function inviteSomeone(): Promise<void> {
  const link = async (path: string, body?: object) => {
    const secret =
      String((await send('POST', path, body)).body.path)
        .split('#')
        .at(-1) ?? ''
    canaries.add(secret)
    return secret
  }
  const outside = (path: string, body: object) => server.call('POST', `/api/v1/auth/${path}`, { body })
  await send('DELETE', `/invites/${(await send('POST', '/invites', {})).body.id}`)
  const join = { secret: await link('/invites', {}), name: 'Ben', email: 'ben@example.com', password: canary() }
  const joined = await outside('join', join)
  const { id: personId } = (await joined.json()) as { id: string }
  await changeLimits({ userId: personId, headers: { cookie: cookieOf(joined) } })
  await outside('reset', { secret: await link(`/people/${personId}/reset-link`), password: canary() })
  await send('PATCH', `/people/${personId}`, { isDisabled: true })
  const { body: workspace } = await send('POST', '/workspaces', { name: 'With a member' })
  const member = `/workspaces/${workspace.id}/members/${personId}`
  await send('PUT', member, { role: 'member' })
  await send('PUT', member, { role: 'viewer' })
  const { body: thread } = await send('POST', '/threads', { workspaceId: workspace.id, isPrivate: true })
  await send('PATCH', `/threads/${thread.id}`, { isPrivate: false })
  await send('PUT', member, { role: 'member' })
  await send('PATCH', `/threads/${thread.id}`, { isPrivate: true })
  await send('PATCH', `/threads/${thread.id}`, { allowsPersonal: true })
  await send('DELETE', member)
}

/** Limits of one person, of a preset, and requests for more that are granted and refused. */
async function changeLimits(person: TestPerson): Promise<void> {
  const limits = { modelMicroUsdPerMonth: 1, awakeSandboxes: 1, concurrentRuns: 1 }
  const { body: preset } = await send('POST', '/quota-presets', { name: 'Small', limits })
  await send('PATCH', `/people/${person.userId}/quotas`, { presetId: preset.id })
  await send('DELETE', `/quota-presets/${preset.id}`)
  await send('PATCH', '/quotas', { concurrentRuns: 1 })
  for (const decision of [{}, { limit: 2 }]) {
    const asked = await server.call('POST', '/api/v1/quotas/requests', { person, body: { quota: 'concurrentRuns' } })
    const { id } = (await asked.json()) as { id: string }
    await send('POST', `/quota-requests/${id}/decision`, decision)
  }
}

/** The secrets that a text contains, as they are, or in the forms of a URL and of base64. */
function found(text: string): string[] {
  const contains = (value: string) =>
    [value, encodeURIComponent(value), Buffer.from(value).toString('base64').replace(/=+$/, '')].some((form) =>
      text.includes(JSON.stringify(form).slice(1, -1)),
    )
  return [...canaries].filter(contains)
}

/** Secrets in requests of other kinds than the rows of bad input have, and those that responses show once. */
async function enterSecrets(): Promise<void> {
  const shown = async (path: string, body: unknown, of: (answered: Record<string, unknown>) => unknown) => {
    const { body: answered } = await send('POST', path, body)
    const value = String(of(answered) ?? '')
    expect(value, path).not.toBe('')
    canaries.add(value)
  }
  const { email } = ownerRequest()
  await send('PATCH', '/settings', { settings: { sandboxCpus: 1 } })
  await server.call('POST', '/api/v1/auth/sign-in', { body: { email, password: canary() } })
  await server.call('POST', '/api/v1/auth/sign-in', { body: { email: `${canary()}@example.com`, password: canary() } })
  await send('POST', '/auth/confirm', { password: canary() })
  await shown('/auth/cookies/clear', {}, ({ restoreToken }) => restoreToken)
  await shown(`/agents/${ids.agentId}/webhooks`, { name: 'Secret hook', input: 'x' }, ({ secret }) => secret)
  await shown(`/webhooks/${ids.webhookId}/secret`, {}, ({ secret }) => secret)
  const link = { withFiles: false, expiresInSeconds: null }
  await shown(`/threads/${ids.threadId}/links`, link, ({ url }) => String(url).split('/').at(-1))
  const oauth = { kind: 'oauth', client: { id: canary(), secret: canary() } }
  await send('POST', '/connections', { name: 'Signed in', url: 'http://127.0.0.1:9/mcp', auth: oauth })
  const environment = [{ name: 'KEY', value: canary(), isSecret: true }]
  const program = { kind: 'stdio', name: 'Program', command: 'server', args: [`--key=${canary()}`], environment }
  await send('POST', '/connections', program)
  await send('POST', '/connections/login', { state: `${ids.connectionId}.${canary()}`, code: canary() })
  await send('POST', '/shared-threads/copy', { secret: canary() })
  await send('POST', `/threads/${ids.threadId}/messages`, { text: `/run echo ${canary()}`, key: 'key-of-the-canary' })
  canaries.add(decodeURIComponent(owner.headers.cookie?.split('=').at(1) ?? 'no session'))
}

/** The session has ended by then. */
async function changePassword(): Promise<void> {
  const { email, password } = ownerRequest()
  const signIn = async () => {
    const signedIn = await server.call('POST', '/api/v1/auth/sign-in', { body: { email, password } })
    owner = { ...owner, headers: { cookie: cookieOf(signedIn) } }
  }
  await signIn()
  await send('POST', '/auth/sign-out')
  await signIn()
  await send('POST', '/auth/confirm', { password })
  await send('POST', '/auth/password', { currentPassword: password, newPassword: canary() })
}

/** The valid request of every route, with another secret in each field that takes one. */
async function sendEverything(): Promise<void> {
  // What ends the session is last, and what deletes shortly before, from the inside out.
  const depthOf = (route: string) => route.split('/').length
  const placeOf = (route: string) =>
    route.includes('/sessions/') ? 1000 : route.startsWith('DELETE') ? 100 - depthOf(route) : 0
  const inOrder = Object.entries(badInputRows).sort(([one], [other]) => placeOf(one) - placeOf(other))
  for (const [route, row] of inOrder) {
    const [method = '', path = ''] = route.split(' ')
    if (row.endsLogin === true || /events|socket/.test(path)) continue
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = row.params?.[name]
      return typeof value === 'object' ? value.value : (ids[name] ?? 'missing')
    })
    const body = row.body && Object.fromEntries(Object.entries(row.body).map(withCanary))
    const raw = row.isRaw ? new Blob(['x']).stream() : undefined
    const { rows } = await send(method, `${filled}?${new URLSearchParams(row.query)}`, body ?? raw)
    for (const { action } of rows) expect(auditOfRoutes[route], `${route} added ${action}`).toContain(action)
  }
}

function withCanary([name, value]: [string, unknown]): [string, unknown] {
  return [name, /token|password|secret|apiKey/i.test(name) && typeof value === 'string' ? canary() : value]
}

import {
  type Action,
  actions,
  roleActionOf,
  roleAllows,
  type WorkspaceAction,
  type WorkspaceRole,
} from '@threadbox/domain'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from './application.test-utils.ts'
import type { Operation } from './bad-input.classes.test-utils.ts'
import { type Ids, makeIds } from './bad-input.ids.test-utils.ts'
import type { BadInputRow } from './bad-input.row.test-utils.ts'
import { badInputRows } from './bad-input.rows.test-utils.ts'

const host: HostStandIn = await startHostStandIn()
const server: TestApplication = await makeTestApplication({ hostSocket: host.socketPath })
type ActingOperation = Operation & { 'x-threadbox-action': Action }
const document = (await (await server.call('GET', '/api/v1/openapi.json')).json()) as {
  paths: Record<string, Record<string, ActingOperation>>
}

/** What each action needs of a role where the path doesn’t name a thread. `person`: only its own person’s, whatever the role. */
const needs: Partial<Record<Action, WorkspaceAction | 'person'>> = {
  'account.manage': 'person',
  'keys.manage': 'person',
  'passkeys.manage': 'person',
  'git-credentials.manage': 'person',
  'agents.import': 'person',
  'models.manage': 'person',
  'people.manage': 'person',
  'people.list-invites': 'person',
  'identities.manage': 'person',
  'sign-in.manage': 'person',
  'machine.stop': 'person',
  'agents.read': 'read',
  'agents.manage': 'change',
  'skills.read': 'read',
  'skills.manage': 'change',
  'connections.read': 'read',
  'connections.manage': 'manage',
  'connections.test': 'manage',
  'runs.read': 'read',
  'runs.manage': 'manage',
  'workspaces.read': 'read',
  'workspaces.manage': 'manage',
  'workspaces.members': 'manage',
  'workspaces.leave': 'read',
  'workspaces.delete': 'manage',
  'network.read': 'read',
  'network.narrow': 'manage',
  'network.widen': 'manage',
}
/** Routes that need something else than their action. */
const exceptions: Record<string, WorkspaceAction | 'person'> = {
  'POST /threads/{threadId}/openings': 'person',
  'PATCH /threads/{threadId}': 'change',
  'GET /workspaces/{workspaceId}/contents': 'manage',
  'PUT /workspaces/{workspaceId}/position': 'read',
  'GET /agents/{agentId}/versions/{version}/export': 'work',
  'POST /agents/{agentId}/threads': 'work',
  'POST /agents/{agentId}/runs': 'work',
  'POST /agents/{agentId}/schedules': 'work',
  'POST /agents/{agentId}/webhooks': 'work',
  'PUT /agents/{agentId}/kept-runs': 'change',
  'PUT /agents/{agentId}/network': 'change',
  'GET /environments/{environmentId}': 'person',
  'DELETE /environments/{environmentId}': 'person',
}
/** To people who can’t manage a workspace’s secret it doesn’t exist. */
const hidden = (route: string) => /^\w+ \/secrets\/\{secretId\}/.test(route)

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { 'x-threadbox-action': action }]) => {
    const route = `${method.toUpperCase()} ${path}`
    const inThread = path.startsWith('/threads/{threadId}') ? roleActionOf(action) : undefined
    return { route, need: exceptions[route] ?? inThread ?? needs[action], row: badInputRows[route] ?? {} }
  }),
)
const ofObjects = operations.filter(({ row }) => Object.keys(row.unknown ?? {}).length > 0)
const shared = ofObjects.filter(({ need, route }) => need !== 'person' && !hidden(route))

let ids: Ids
const people = new Map<WorkspaceRole | 'creator' | 'outsider', TestPerson>()
beforeAll(async () => {
  const creator = await server.signUpOwner()
  ids = await makeIds(server, { person: creator, within: await workspaceOf(creator) })
  people.set('creator', creator)
  for (const role of ['owner', 'member', 'viewer'] as const) {
    const person = await server.addPerson(`a-${role}`)
    await setRole(person, role)
    people.set(role, person)
  }
  await setRole(creator, 'member')
  people.set('outsider', await server.addPerson('outsider'))

  async function workspaceOf(person: TestPerson): Promise<string> {
    const response = await server.call('POST', '/api/v1/workspaces', { person, body: { name: 'Team' } })
    return ((await response.json()) as { id: string }).id
  }
  async function setRole({ userId }: TestPerson, role: WorkspaceRole): Promise<void> {
    const path = `/api/v1/workspaces/${ids.workspaceId}/members/${userId}`
    expect((await server.call('PUT', path, { person: creator, body: { role } })).status).toBe(200)
  }
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

async function send(
  who: WorkspaceRole | 'creator' | 'outsider',
  { route, row }: { route: string; row: BadInputRow },
  params: Record<string, string> = {},
) {
  const person = people.get(who) as TestPerson
  await server.confirm(person)
  const [method = '', path = ''] = route.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = row.params?.[name]
    return params[name] ?? (typeof value === 'object' ? value.value : (ids[name] ?? 'missing'))
  })
  const search = new URLSearchParams(row.query).toString()
  const body = row.body ?? (row.isRaw ? new Blob(['bytes']).stream() : undefined)
  const response = await server.call(method, `/api/v1${filled}${search === '' ? '' : `?${search}`}`, { person, body })
  const headers = Object.fromEntries(response.headers)
  if (response.status < 400) {
    await response.body?.cancel()
    return { status: response.status, code: 'done', headers, text: '' }
  }
  const id = headers['threadbox-request-id'] ?? ''
  const text = (await response.text()).replaceAll(id, '')
  const { error } = JSON.parse(text) as { error: { code: string } }
  return { status: response.status, code: error.code, headers: { ...headers, 'threadbox-request-id': '' }, text }
}

test('C12: every route that names an object has a row that says which role it needs', () => {
  const without = ofObjects.filter(({ route, need }) => need === undefined && !hidden(route))
  expect(without.map(({ route }) => route)).toEqual([])
})

describe.each(shared)('$route', (operation) => {
  const need = operation.need as WorkspaceAction
  const [name = '', notFound = ''] = Object.entries(operation.row.unknown ?? {})[0] ?? []

  test('C12: responds to a person outside of the workspace exactly as to an unknown id', async () => {
    const theirs = await send('outsider', operation)
    const unknown = await send('outsider', operation, { [name]: 't-unknown' })
    expect(theirs.code).toBe(notFound)
    expect(theirs).toEqual(unknown)
  })

  test('C12: is refused to roles that don’t allow it, with the reason', async () => {
    for (const role of ['member', 'viewer'] as const) {
      if (roleAllows(role, need, false)) continue
      expect({ role, code: (await send(role, operation)).code }).toEqual({ role, code: 'workspace.role-missing' })
    }
  })
})

/** What reads comes first, then what changes; what deletes is last, and of that what contains others the very last. */
function order({ route }: { route: string }): number {
  if (route.startsWith('GET ')) return 0
  if (!route.startsWith('DELETE ')) return 1
  return /^DELETE \/(threads|workspaces|agents)\/\{\w+\}$/.test(route) ? 3 : 2
}

/** They don’t end, change who is in the workspace or where things are, or name a second object. */
const untested = /events|socket|\/leave|\/members\/|PATCH \/(threads|skills)\/\{\w+\}$|files\/copies/

test('C12: nothing that a role allows is refused to it', async () => {
  const refused: string[] = []
  const inOrder = shared
    .filter(({ route }) => !untested.test(route))
    .toSorted((one, other) => order(one) - order(other))
  for (const operation of inOrder) {
    const need = operation.need as WorkspaceAction
    const isReading = operation.route.startsWith('GET ')
    const allowed = (['viewer', 'member', 'owner'] as const).filter((role) => roleAllows(role, need, false))
    const creators = roleAllows('member', need, true) ? (['creator'] as const) : []
    // What changes something is sent once, by the least role that allows it.
    const senders = isReading ? [...allowed, ...creators] : [[...creators, ...allowed][0] ?? 'owner']
    for (const who of senders) {
      const { code } = await send(who, operation)
      const [, notFound] = Object.entries(operation.row.unknown ?? {})[0] ?? []
      if (code === 'workspace.role-missing' || code === notFound) refused.push(`${who}: ${operation.route}: ${code}`)
    }
  }
  expect(refused).toEqual([])
})

test('C12: a workspace’s secret doesn’t exist for people who can’t manage the workspace', async () => {
  for (const operation of ofObjects.filter(({ route }) => hidden(route))) {
    for (const role of ['member', 'viewer', 'outsider'] as const) {
      const theirs = await send(role, operation)
      const unknown = await send(role, operation, { secretId: 's-unknown' })
      expect({ role, route: operation.route, text: theirs.text }).toEqual({
        role,
        route: operation.route,
        text: unknown.text,
      })
    }
  }
})

test('every action that is in no row is one of the table', () => {
  expect(Object.keys(needs).filter((action) => !(action in actions))).toEqual([])
})

import type { Identities, Person, SignInProviders } from '@threadbox/protocol/public'
import { type PageServer, person as reader, type SignIn } from './page-server.test-utils.ts'
import { storePreparations } from './store-objects.test-utils.ts'

type Variables = Record<string, string>
type Link = { path: string }

const password = 'correct horse battery'
let count = 0

/** The secret of a link, which is the fragment of its path. */
const secretOf = ({ path }: Link) => path.slice(path.indexOf('#') + 1)

/** A person who has joined with an invite. */
export async function newPerson(server: PageServer): Promise<{ personId: string; email: string }> {
  count += 1
  const email = `person-${count}@example.com`
  const secret = secretOf(await server.callSignedIn<Link>('POST', '/invites', {}))
  await server.callSignedIn('POST', '/auth/join', { secret, name: `Person ${count}`, email, password })
  const { people } = await server.callSignedIn<{ people: Person[] }>('GET', '/people')
  return { personId: people.find((person) => person.email === email)?.id ?? '', email }
}

/** A person whose account is disabled, and one who can receive what they have. */
async function leavingPerson(server: PageServer): Promise<Variables> {
  const { personId: to } = await newPerson(server)
  const { personId } = await newPerson(server)
  await server.callSignedIn('PATCH', `/people/${personId}`, { isDisabled: true })
  return { personId, to }
}

async function sharedWorkspace(server: PageServer, role: 'owner' | 'member'): Promise<Variables> {
  const { personId: userId } = await newPerson(server)
  const { id } = await server.callSignedIn<{ id: string }>('POST', '/workspaces', { name: `Shared with ${userId}` })
  await server.callSignedIn('PUT', `/workspaces/${id}/members/${userId}`, { role })
  return { workspaceId: id, userId }
}

const limits = { concurrentRuns: 1, awakeSandboxes: null, modelMicroUsdPerMonth: null }

async function newPreset(server: PageServer): Promise<Variables> {
  count += 1
  const { id } = await server.callSignedIn<{ id: string }>('POST', '/quota-presets', {
    name: `Preset ${count}`,
    limits,
  })
  return { presetId: id }
}

/** A provider of its own: nothing asks its issuer. */
async function newProvider(server: PageServer): Promise<Variables> {
  count += 1
  const provider = { name: 'Provider', issuer: `https://issuer-${count}.example`, clientId: 'client' }
  return { providerId: (await server.callSignedIn<{ id: string }>('POST', '/sign-in-providers', provider)).id }
}

/** The provider whose issuer runs. */
async function runningProvider(server: PageServer): Promise<{ providerId: string }> {
  const { url, client } = server.issuer
  const { providers } = await server.callSignedIn<SignInProviders>('GET', '/sign-in-providers')
  const known = providers.find(({ issuer }) => issuer === `${url}/`)
  if (known !== undefined) return { providerId: known.id }
  const provider = { name: 'Company', issuer: url, clientId: client.id, clientSecret: client.secret }
  return { providerId: (await server.callSignedIn<{ id: string }>('POST', '/sign-in-providers', provider)).id }
}

/** An account of the provider that the reader has connected, as their browser would. */
async function connectedIdentity(server: PageServer): Promise<Variables> {
  const origin = server.server.loopbackOrigin
  const send = (path: string, body: object, cookie = '') =>
    fetch(`${origin}/api/v1${path}`, {
      method: 'POST',
      headers: { origin, cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const cookieOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const session = cookieOf(await send('/auth/sign-in', reader))
  const started = await send('/auth/identities', await runningProvider(server), session.join('; '))
  const back = await server.issuer.visit(((await started.json()) as { url: string }).url)
  const cookie = [...session, ...cookieOf(started)].join('; ')
  await (await fetch(back, { headers: { cookie }, redirect: 'manual' })).body?.cancel()
  const { identities } = await server.callSignedIn<Identities>('GET', '/auth/identities')
  return { identityId: identities[0]?.id ?? '' }
}

/** A sandbox that runs, of a thread of its own. */
async function runningSandbox(server: PageServer): Promise<Variables> {
  const known = new Set(server.host.sandboxes.keys())
  const { id } = await server.call<{ id: string }>('POST', '/threads', {})
  await server.call('POST', `/threads/${id}/sandbox/wake`)
  return { sandboxId: [...server.host.sandboxes.keys()].find((sandboxId) => !known.has(sandboxId)) ?? '' }
}

/** Requests that only another person can send: who, and what makes the installation the reader’s again. */
export const otherSenders: Readonly<
  Record<string, { signIn(server: PageServer): Promise<SignIn>; after?(server: PageServer, by: SignIn): Promise<void> }>
> = {
  'POST /me/erase': { signIn: async (server) => ({ email: (await newPerson(server)).email, password }) },
  'POST /ownership-offer/accept': {
    signIn: async (server) => {
      const { personId, email } = await newPerson(server)
      await server.callSignedIn('PUT', '/ownership-offer', { personId })
      return { email, password }
    },
    after: async (server, by) => {
      const { people } = await server.callSignedIn<{ people: Person[] }>('GET', '/people')
      const personId = people.find(({ email }) => email === reader.email)?.id
      await server.callAs(by, 'PUT', '/ownership-offer', { personId })
      await server.callSignedIn('POST', '/ownership-offer/accept')
    },
  },
}

/** What requests about people, members, invites and limits need. */
export const peoplePreparations: Readonly<Record<string, (server: PageServer) => Promise<Variables>>> = {
  ...storePreparations,
  'DELETE /workspaces/{workspaceId}': async (server) => ({
    workspaceId: (await server.call<{ id: string }>('POST', '/workspaces', { name: 'Deleted' })).id,
  }),
  'PUT /workspaces/{workspaceId}/members/{userId}': (server) => sharedWorkspace(server, 'member'),
  'DELETE /workspaces/{workspaceId}/members/{userId}': (server) => sharedWorkspace(server, 'member'),
  'POST /workspaces/{workspaceId}/leave': (server) => sharedWorkspace(server, 'owner'),
  'POST /auth/link': async (server) => ({ secret: secretOf(await server.callSignedIn('POST', '/invites', {})) }),
  'POST /auth/join': async (server) => ({ secret: secretOf(await server.callSignedIn('POST', '/invites', {})) }),
  'POST /auth/reset': async (server) => {
    const { personId } = await newPerson(server)
    return { secret: secretOf(await server.callSignedIn('POST', `/people/${personId}/reset-link`)) }
  },
  'DELETE /invites/{inviteId}': async (server) => ({
    inviteId: (await server.callSignedIn<{ id: string }>('POST', '/invites', {})).id,
  }),
  'PATCH /sign-in-providers/{providerId}': newProvider,
  'DELETE /sign-in-providers/{providerId}': newProvider,
  'POST /sign-in-providers/{providerId}/test': runningProvider,
  'POST /auth/providers/start': runningProvider,
  'POST /auth/confirm/provider': runningProvider,
  'POST /auth/identities': runningProvider,
  'DELETE /auth/identities/{identityId}': connectedIdentity,
  'PATCH /people/{personId}': newPerson,
  'POST /people/{personId}/reset-link': newPerson,
  'GET /people/{personId}/quotas': newPerson,
  'PATCH /people/{personId}/quotas': newPerson,
  'GET /people/{personId}/belongings': newPerson,
  'POST /people/{personId}/hand-over': leavingPerson,
  'POST /people/{personId}/erase': leavingPerson,
  'PUT /ownership-offer': newPerson,
  'DELETE /ownership-offer': async (server) => {
    const { personId } = await newPerson(server)
    await server.callSignedIn('PUT', '/ownership-offer', { personId })
    return { personId }
  },
  'POST /threads/{threadId}/hand-over': async (server) => {
    const { workspaceId, userId = '' } = await sharedWorkspace(server, 'member')
    const { id } = await server.call<{ id: string }>('POST', '/threads', { workspaceId })
    return { threadId: id, to: userId }
  },
  'POST /threads/{threadId}/openings': async (server) => {
    await server.callSignedIn('PATCH', '/settings', { settings: { adminsMayRead: 'with-reason' } })
    return { threadId: (await server.call<{ id: string }>('POST', '/threads', {})).id }
  },
  'POST /machine/sandboxes/{sandboxId}/pause': runningSandbox,
  'POST /machine/sandboxes/{sandboxId}/stop': runningSandbox,
  'PATCH /quota-presets/{presetId}': newPreset,
  'DELETE /quota-presets/{presetId}': newPreset,
  'POST /quota-requests/{requestId}/decision': async (server) => {
    const { email } = await newPerson(server)
    const wanted = { quota: 'concurrentRuns' }
    const { id } = await server.callAs<{ id: string }>({ email, password }, 'POST', '/quotas/requests', wanted)
    return { requestId: id }
  },
}

import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyScopes } from '@threadbox/domain'
import { startHostStandIn } from '@threadbox/testkit/host-stand-in'
import {
  makeTestApplication,
  type TestApplication,
  type TestPerson,
} from '../../apps/server/src/application.test-utils.ts'
import { type Ids, makeIds } from '../../apps/server/src/bad-input.ids.test-utils.ts'
import { makeFrontServer } from '../../apps/server/src/front-server.ts'
import { serveGuest } from '../../deploy/build/site/page-server.test-utils.ts'

/** Who sends the requests of a run. `key`: keys of the member with one scope each. */
export const senders = ['member', 'key', 'signed-out', 'owner'] as const
export type Sender = (typeof senders)[number]

/** What `hooks.py` reads: how requests authenticate, and objects by the names of their parameters. */
export type Objects = {
  headers: Record<string, string>
  /** A person whose session can end. */
  spare: Record<string, string>
  /** API keys by their one scope. */
  keys: Record<string, string>
  own: Ids
  /** The sender’s, for requests that delete. */
  deleted: Ids
  /** Of another person: for the sender, as if they didn’t exist. */
  others: Ids
}

/** The real application with SQLite on a socket, and people with one object of each kind. */
export type ApiUnderTest = AsyncDisposable & { url: string; objects: Objects }

/** Longest part of an endless stream that a request gets. */
const streamMs = 100

export async function startApiUnderTest(sender: Sender): Promise<ApiUnderTest> {
  await using cleanup = new AsyncDisposableStack()
  const host = cleanup.use(await startHostStandIn())
  serveGuest(host)
  const application = cleanup.use(await makeTestApplication({ hostSocket: host.socketPath }))
  const { app, previewServer: previews, socketServer: sockets } = application
  const listener = makeFrontServer({ app, previews, sockets })
  listener.prependListener('request', endStreams)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  cleanup.defer(() => close(listener))
  const objects = await makeObjects(application, sender)
  const kept = cleanup.move()
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    objects,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function makeObjects(application: TestApplication, sender: Sender): Promise<Objects> {
  const owner = await application.signUpOwner()
  const member = await application.addPerson('member')
  const spare = await application.addPerson('spare')
  for (const person of [owner, member, spare]) await application.confirm(person)
  await allowAwake(application, { owner, member })
  const [person, other] = sender === 'owner' ? [owner, member] : [member, owner]
  // Names are unique in a workspace.
  const { id: within } = await make<{ id: string }>(application, person, ['/workspaces', { name: 'Own' }])
  const keys: Record<string, string> = {}
  for (const scope of keyScopes) {
    const key = { name: scope, scopes: [scope] }
    keys[scope] = (await make<{ secret: string }>(application, person, ['/api-keys', key])).secret
  }
  const model = { provider: 'openai-compatible', model: 'm', baseUrl: 'http://127.0.0.1:9/v1', contextTokens: 4096 }
  const { id: modelId } = await make<{ id: string }>(application, owner, ['/models', model])
  // Nothing listens there.
  const provider = { name: 'Provider', issuer: 'https://127.0.0.1:9', clientId: 'client' }
  const { id: providerId } = await make<{ id: string }>(application, owner, ['/sign-in-providers', provider])
  const { modelId: _, providerId: __, ...others } = await makeIds(application, { person: other })
  return {
    headers: sender === 'member' || sender === 'owner' ? person.headers : {},
    spare: spare.headers,
    keys: sender === 'key' ? keys : {},
    own: { ...(await makeIds(application, { person, within })), modelId, providerId },
    deleted: await makeIds(application, { person }),
    others,
  }
}

/** The requests start more sandboxes than a member can have awake, and come faster than a person’s. */
async function allowAwake(
  application: TestApplication,
  { owner, member }: { owner: TestPerson; member: TestPerson },
): Promise<void> {
  const path = `/api/v1/people/${member.userId}/quotas`
  const response = await application.call('PATCH', path, {
    person: owner,
    body: { assigned: { awakeSandboxes: null, sandboxes: null, diskBytes: null, apiRequestsPerSecond: null } },
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}

async function make<Made>(
  application: TestApplication,
  person: TestPerson,
  [path, body]: [path: string, body: object],
): Promise<Made> {
  const response = await application.call('POST', `/api/v1${path}`, { person, body })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as Made
}

function endStreams(request: IncomingMessage, response: ServerResponse): void {
  if (!/\/events(\?|$)/.test(request.url ?? '')) return
  const timer = setTimeout(() => response.end(), streamMs)
  response.once('close', () => clearTimeout(timer))
}

async function close(listener: Server): Promise<void> {
  listener.closeAllConnections()
  listener.close()
  await once(listener, 'close')
}

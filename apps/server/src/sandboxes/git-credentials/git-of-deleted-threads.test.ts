import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, createRouterTransport } from '@connectrpc/connect'
import { git } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { siteOf } from './git-target.logic.ts'

/** A Git server that never responds. */
let server: Server
let asked: PromiseWithResolvers<ServerResponse>
let application: TestApplication
let owner: TestPerson
/** Server names sent to the guest, one list per call. */
let sentSites: string[][]
/** Targets that git in the sandbox requests when its guest is followed. */
let targets: string[]

const client = createClient(
  git.Git,
  createRouterTransport((router) => {
    router.service(git.Git, {
      async *followGit({ sites }, { signal }) {
        sentSites.push(sites.map(({ name }) => name))
        yield { event: { case: 'ready', value: {} } }
        for (const target of targets.splice(0)) {
          const value = { id: crypto.randomUUID(), method: 'GET', target, headers: {} }
          yield { event: { case: 'request', value } }
        }
        if (sites.length > 0) await once(signal, 'abort')
      },
    })
  }),
)

beforeEach(async () => {
  sentSites = []
  targets = []
  asked = Promise.withResolvers()
  server = createServer((_request, response) => asked.resolve(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  application = await makeTestApplication()
  owner = await application.signUpOwner()
})
afterEach(async () => {
  await application[Symbol.asyncDispose]()
  server.close().closeAllConnections()
})

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const site = () => siteOf(address())
async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await application.call(method, `/api/v1${path}`, { person: owner, body })
  expect(response.ok).toBe(true)
  return (response.status === 204 ? null : await response.json()) as Body
}
const deliver = (threadId: string) =>
  application.areas.sandboxes.inside.gitCredentials.follow.deliver(threadId, {
    sandboxId: 's',
    bootId: 'b',
    git: client,
  })

/** A workspace that lends a credential to its threads, and one of its threads, in which nothing runs. */
async function lend() {
  const workspace = await ask<{ id: string }>('POST', '/workspaces', { name: 'Lending' })
  const thread = await ask<{ id: string }>('POST', '/threads', { workspaceId: workspace.id })
  const credential = { username: 'me', token: 'tok-abcdef-123456', access: 'read', workspaceIds: [workspace.id] }
  await ask('POST', '/git-credentials', { address: address(), ...credential })
  return { workspace, thread }
}

/** Starts a clone in a thread; `over` resolves when the connection to the Git server closes. */
async function cloneIn(threadId: string): Promise<{ over: Promise<unknown> }> {
  targets = [`/${site()}/team/app/info/refs?service=git-upload-pack`]
  await deliver(threadId)
  return { over: once(await asked.promise, 'close') }
}

test('C12: a clone with the credential of a workspace ends when the workspace is deleted', async () => {
  const { workspace, thread } = await lend()
  const clone = await cloneIn(thread.id)
  await ask('DELETE', `/workspaces/${workspace.id}`)
  await clone.over
})

test('a clone ends when its thread is deleted', async () => {
  const { thread } = await lend()
  const clone = await cloneIn(thread.id)
  await ask('DELETE', `/threads/${thread.id}`)
  await clone.over
})

test('C12: a clone in a thread that outlives its workspace ends when the workspace is removed for good', async () => {
  const { workspace, thread } = await lend()
  await ask('DELETE', `/workspaces/${workspace.id}`)
  // Like a thread that was being moved into the workspace at that moment.
  await application.areas.threads.inside.store.update(thread.id, { deleted_at: null })
  const clone = await cloneIn(thread.id)
  application.clock.now += 31_000
  await application.start()
  await clone.over
  expect(await application.areas.threads.inside.store.findAny(thread.id)).toMatchObject({ workspace_id: null })
})

test.each(['threads', 'workspaces'] as const)(
  'git credentials are usable again after the deletion of %s was undone',
  async (of) => {
    const { workspace, thread } = await lend()
    const path = of === 'threads' ? `/threads/${thread.id}` : `/workspaces/${workspace.id}`
    await deliver(thread.id)
    await ask('DELETE', path)
    await deliver(thread.id)
    await ask('POST', `${path}/restore`)
    await deliver(thread.id)
    expect(sentSites).toEqual([[site()], [], [site()]])
  },
)

import { randomBytes } from 'node:crypto'
import type { GitCredential, ThreadGitCredential } from '@threadbox/protocol/public'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import type { AuditTables } from '../../people/audit/audit.table.ts'
import { makeAudit } from '../../people/audit/audit.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import { makeSystem } from '../../platform/system/system.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeGitCredentialStore } from './git-credentials.store.ts'
import type { GitCredentialTables } from './git-credentials.table.ts'
import { makeGitCredentials } from './git-credentials.usecases.ts'
import { makeUsableCredentials } from './usable-credentials.ts'

const token = 'tok-abcdef-123456'
type List = { credentials: GitCredential[] }
type OfThread = { credentials: ThreadGitCredential[] }
type Refusal = { error: { code: string } }

onBothDatabases((target) => {
  let application: TestApplication
  let owner: TestPerson
  let other: TestPerson
  beforeAll(async () => {
    application = await makeTestApplication(await target())
    owner = await application.signUpOwner()
    other = await application.addPerson('other')
  })
  afterAll(() => application[Symbol.asyncDispose]())
  afterEach(async () => {
    for (const { id } of (await answer<List>('GET', '/git-credentials')).credentials) {
      await answer('DELETE', `/git-credentials/${id}`)
    }
  })

  async function answer<Body>(method: string, path: string, body?: unknown, person = owner): Promise<Body> {
    const response = await application.call(method, `/api/v1${path}`, { body, person })
    return (response.status === 204 ? null : await response.json()) as Body
  }
  const add = (more: object = {}, person = owner) =>
    answer<GitCredential>(
      ...(['POST', '/git-credentials'] as const),
      { address: 'github.com', username: 'me', token, access: 'read', ...more },
      person,
    )
  const newThread = async (body: object = {}, person = owner) =>
    (await answer<{ id: string }>('POST', '/threads', body, person)).id
  const newWorkspace = async (name: string) => (await answer<{ id: string }>('POST', '/workspaces', { name })).id

  /** IDs of the credentials that git in a thread could use. */
  async function usableIn(threadId: string): Promise<string[]> {
    const { areas, open } = application
    const usable = makeUsableCredentials({
      store: makeGitCredentialStore(tablesOf<GitCredentialTables>(open.database)),
      personalOwnerOf: areas.threads.personalOwnerOf,
      placeOf: areas.threads.subjectOf,
    })
    return (await usable(threadId)).map(({ id }) => id)
  }

  test('the token is sealed in the database and in no response', async () => {
    const credential = await add({ repositories: ['team/app.git', 'other/*'] })
    expect(credential).toMatchObject({
      address: 'https://github.com',
      username: 'me',
      access: 'read',
      repositories: ['team/app', 'other/*'],
      workspaceIds: [],
      threadCount: 0,
      lastUsedAt: null,
    })
    const rows = await tablesIn(application.open).selectFrom('git_credentials').selectAll().execute()
    const all = await answer<unknown>('GET', '/git-credentials')
    const audited = await answer<unknown>('GET', '/audit')
    for (const seen of [credential, rows, all, audited]) expect(JSON.stringify(seen)).not.toContain(token)
    expect(JSON.stringify(audited)).toContain('git-credential-created')
  })

  test.each([
    [{ address: '10.0.0.1' }, 'git-credential.address-refused'],
    [{ address: 'https://github.com/owner' }, 'git-credential.address-invalid'],
    [{ repositories: ['name'] }, 'request.invalid'],
    [{ repositories: ['../name'] }, 'request.invalid'],
    [{ repositories: ['*/name'] }, 'request.invalid'],
    [{ username: 'a:b' }, 'request.invalid'],
    [{ token: 'with\nbreak' }, 'request.invalid'],
    [{ workspaceIds: ['unknown'] }, 'workspace.not-found'],
  ])('%j is rejected with %s, and nothing is stored', async (more, code) => {
    expect(await add(more)).toMatchObject({ error: { code } })
    expect(await answer<List>('GET', '/git-credentials')).toEqual({ credentials: [] })
  })

  test('a thread can use a credential only while it is allowed', async () => {
    const { id } = await add()
    const threadId = await newThread()
    expect(await usableIn(threadId)).toEqual([])
    await answer('PUT', `/threads/${threadId}/git-credentials`, { credentialIds: [id] })
    expect(await usableIn(threadId)).toEqual([id])
    expect(await usableIn(await newThread())).toEqual([])
    const seen = await answer<OfThread>('GET', `/threads/${threadId}/git-credentials`)
    expect(seen.credentials).toMatchObject([{ id, isAllowed: true, isAllowedByWorkspace: false }])
    expect(await answer<List>('GET', '/git-credentials')).toMatchObject({ credentials: [{ threadCount: 1 }] })
    await answer('PUT', `/threads/${threadId}/git-credentials`, { credentialIds: [] })
    expect(await usableIn(threadId)).toEqual([])
  })

  test('a workspace lends it to its threads as long as they are in it', async () => {
    const workspaceId = await newWorkspace('Lending')
    const threadId = await newThread({ workspaceId })
    const { id } = await add({ workspaceIds: [workspaceId] })
    expect(await usableIn(threadId)).toEqual([id])
    const seen = await answer<OfThread>('GET', `/threads/${threadId}/git-credentials`)
    expect(seen.credentials).toMatchObject([{ isAllowed: false, isAllowedByWorkspace: true }])
    await answer('PATCH', `/threads/${threadId}`, { workspaceId: null })
    expect(await usableIn(threadId)).toEqual([])
    await answer('PATCH', `/threads/${threadId}`, { workspaceId })
    expect(await usableIn(threadId)).toEqual([id])
    await answer('PATCH', `/git-credentials/${id}`, { workspaceIds: [] })
    expect(await usableIn(threadId)).toEqual([])
  })

  test('another person’s credential, thread and workspace are unknown, and lend and get nothing', async () => {
    const { id } = await add()
    const threadId = await newThread({}, other)
    expect(await answer<List>('GET', '/git-credentials', undefined, other)).toEqual({ credentials: [] })
    for (const method of ['PATCH', 'DELETE']) {
      const refused = await answer<Refusal>(
        method,
        `/git-credentials/${id}`,
        method === 'PATCH' ? {} : undefined,
        other,
      )
      expect(refused.error.code).toBe('git-credential.not-found')
    }
    const put = { credentialIds: [id] }
    const theirs = await answer<Refusal>('PUT', `/threads/${threadId}/git-credentials`, put, other)
    expect(theirs.error.code).toBe('git-credential.not-found')
    const mine = await answer<Refusal>('PUT', `/threads/${threadId}/git-credentials`, put)
    expect(mine.error.code).toBe('thread.not-found')
    expect(await usableIn(threadId)).toEqual([])
  })

  test('a credential lent to a thread that its owner has no access to is not usable there', async () => {
    const { id } = await add()
    const threadId = await newThread({}, other)
    const grants = tablesOf<GitCredentialTables>(application.open.database).insertInto('git_grants')
    await grants.values({ credential_id: id, thread_id: threadId, workspace_id: null }).execute()
    expect(await usableIn(threadId)).toEqual([])
  })

  test('a deleted thread can use no credential, and a removed credential leaves no grants', async () => {
    const { id } = await add()
    const threadId = await newThread()
    await answer('PUT', `/threads/${threadId}/git-credentials`, { credentialIds: [id] })
    await answer('DELETE', `/threads/${threadId}`)
    expect(await usableIn(threadId)).toEqual([])
    await answer('DELETE', `/git-credentials/${id}`)
    expect(await tablesIn(application.open).selectFrom('git_grants').selectAll().execute()).toEqual([])
  })

  test('a new token replaces the first; the address it was entered for cannot be changed', async () => {
    const { id } = await add()
    const before = await tablesIn(application.open).selectFrom('git_credentials').select('sealed_token').execute()
    await answer('PATCH', `/git-credentials/${id}`, { token: 'another-token', access: 'push' })
    const after = await tablesIn(application.open).selectFrom('git_credentials').select('sealed_token').execute()
    expect(after).not.toEqual(before)
    const refused = await answer<Refusal>('PATCH', `/git-credentials/${id}`, { address: 'evil.example' })
    expect(refused.error.code).toBe('request.invalid')
  })

  test('an update writes only the columns it names and keeps a concurrent change of another column', async () => {
    const { id } = await add({ access: 'push' })
    const store = makeGitCredentialStore(tablesOf<GitCredentialTables>(application.open.database))
    const system = makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) })
    const audit = makeAudit({
      database: tablesOf<AuditTables>(application.open.database),
      system,
      key: randomBytes(32),
      headFile: null,
    })
    const credentials = makeGitCredentials({
      store: {
        ...store,
        find: async (wanted) => {
          const row = await store.find(wanted)
          await store.update(wanted, { access: 'read' })
          return row
        },
      },
      requireWorkspace: async () => undefined,
      secretBox: makeSecretBox(randomBytes(32)),
      allowed: allowedAddressesOf(''),
      onChanged: () => undefined,
      audit,
      system,
    })
    expect(await credentials.update(owner.userId, id, { username: 'other' })).toMatchObject({
      username: 'other',
      access: 'read',
    })
    expect(await credentials.update(owner.userId, id, {})).toMatchObject({ username: 'other' })
  })
})

import type { AuditEvent, Secret, Workspace } from '@threadbox/protocol/public'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const value = 'canary-7f3b9d'
type Refusal = { error?: { code: string; message: string } }
type List = { secrets: Secret[] }

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
    await application.confirm(owner)
    for (const { id } of await list()) await answer('DELETE', `/secrets/${id}`)
  })

  async function answer<Body>(method: string, path: string, body?: unknown, person = owner): Promise<Body> {
    const response = await application.call(method, `/api/v1${path}`, { body, person })
    return (response.status === 204 ? null : await response.json()) as Body
  }
  const codeOf = async (method: string, path: string, body?: unknown, person = owner) =>
    (await answer<Refusal>(method, path, body, person))?.error?.code
  const list = async (person = owner) => (await answer<List>('GET', '/secrets', undefined, person)).secrets
  const request = { name: 'SERVICE_TOKEN', value, hosts: ['api.example.org'] }
  const add = (more: object = {}, person = owner) =>
    answer<Secret>(...(['POST', '/secrets'] as const), { ...request, ...more }, person)
  const newWorkspace = async (name: string) => await answer<Workspace>('POST', '/workspaces', { name })
  const newThread = async (body: object = {}, person = owner) => {
    const { id } = await answer<{ id: string }>('POST', '/threads', body, person)
    const row = await application.areas.threads.rows.findAny(id)
    if (row === undefined) throw new Error('no thread')
    return row
  }
  const grants = () => application.areas.threads.secrets.grants
  /** Names of the variables that a thread has now. */
  const usableIn = async (threadId: string) => {
    const row = await application.areas.threads.rows.findAny(threadId)
    if (row === undefined) return []
    return (await application.areas.threads.secrets.usable.ofThread(row)).map(({ name }) => name)
  }

  describe('what is refused', () => {
    test.each([
      [{ value: '' }, 'secret.value-empty'],
      [{ value: 'x'.repeat(64 * 1024 + 1) }, 'secret.value-too-long'],
      [{ value: 'first\nsecond' }, 'secret.value-multiline'],
      [{ value: 'first\r' }, 'secret.value-multiline'],
      [{ value: 'a\0b' }, 'request.not-text'],
      [{ value: 'a\x7fb' }, 'secret.value-unprintable'],
      [{ value: 'k\u00e9y' }, 'secret.value-unprintable'],
      [{ value: ' key' }, 'secret.value-spaces'],
      [{ value: 'x'.repeat(1_000_001) }, 'request.invalid'],
      [{ name: 'PATH' }, 'secret.name-reserved'],
      [{ name: 'LD_PRELOAD' }, 'secret.name-reserved'],
      [{ name: 'NODE_EXTRA_CA_CERTS' }, 'secret.name-reserved'],
      [{ name: 'HTTPLIB2_CA_CERTS' }, 'secret.name-reserved'],
      [{ name: '' }, 'request.invalid'],
      [{ name: 'lower' }, 'request.invalid'],
      [{ name: `A${'B'.repeat(64)}` }, 'request.invalid'],
      [{ hosts: [] }, 'request.invalid'],
      [{ hosts: [''] }, 'secret.host-invalid'],
      [{ hosts: ['*'] }, 'secret.host-invalid'],
      [{ hosts: ['*.com'] }, 'secret.host-invalid'],
      [{ hosts: ['..'] }, 'secret.host-invalid'],
      [{ hosts: ['0x7f.1'] }, 'secret.host-invalid'],
      [{ hosts: ['::ffff:10.0.0.1'] }, 'secret.host-invalid'],
      [{ hosts: [`${'a.'.repeat(126)}org`] }, 'secret.host-invalid'],
      [{ hosts: ['a'.repeat(1_000_000)] }, 'secret.host-invalid'],
      [{ hosts: ['api.example.org:0'] }, 'secret.host-invalid'],
      [{ hosts: ['api.example.org:65536'] }, 'secret.host-invalid'],
      [{ hosts: ['localhost'] }, 'secret.host-own'],
      [{ hosts: ['app.test00.localhost'] }, 'secret.host-own'],
      [{ hosts: ['8501-x.test00.localhost:7717'] }, 'secret.host-own'],
      [{ hosts: ['127.0.0.1'] }, 'secret.host-own'],
      [{ positions: [] }, 'secret.unusable'],
      [{ header: { name: 'Host', prefix: '' } }, 'secret.header-reserved'],
      [{ header: { name: 'x y', prefix: '' } }, 'request.invalid'],
      [{ header: { name: 'x-key', prefix: 'a\r\nb' } }, 'request.invalid'],
      [{ methods: ['TRACE'] }, 'request.invalid'],
      [{ pathPrefix: 'v1' }, 'request.invalid'],
      [{ placeholderPrefix: 'a b' }, 'request.invalid'],
      [{ owner: 'workspace' }, 'workspace.not-found'],
    ])('%.60j is refused with its reason, and nothing is saved', async (wrong, code) => {
      expect(await codeOf('POST', '/secrets', { ...request, ...wrong })).toBe(code)
      expect(await list()).toEqual([])
    })

    test('a refused change leaves the secret as it was', async () => {
      const before = await add()
      const wrong = [{ value: 'new-value', hosts: ['*'] }, { name: 'OTHER', value: 'a\nb' }, { name: 'PATH' }]
      for (const change of wrong) expect(await codeOf('PATCH', `/secrets/${before.id}`, change)).toMatch(/^secret\./)
      expect(await list()).toEqual([before])
    })

    test('an owner has each name once; a person, a workspace and the installation can each have it', async () => {
      const { id: workspaceId } = await newWorkspace('Names')
      await add()
      expect(await codeOf('POST', '/secrets', request)).toBe('secret.name-taken')
      for (const more of [{ owner: 'workspace', workspaceId }, { owner: 'installation' }]) {
        expect(await add(more)).toMatchObject({ name: 'SERVICE_TOKEN' })
        expect(await codeOf('POST', '/secrets', { ...request, ...more })).toBe('secret.name-taken')
      }
      const second = await add({ name: 'SECOND' })
      expect(await codeOf('PATCH', `/secrets/${second.id}`, { name: 'SERVICE_TOKEN' })).toBe('secret.name-taken')
      expect(await list()).toHaveLength(4)
    })

    test('keys, and sessions that were not confirmed, enter and grant nothing', async () => {
      const secret = await add()
      const { id: workspaceId } = await newWorkspace('Keys')
      const created = await answer<{ secret: string }>('POST', '/api-keys', { name: 'all', scopes: ['read', 'work'] })
      const key = { userId: '', headers: { authorization: `Bearer ${created.secret}` } }
      const changes = [
        ['POST', '/secrets', { ...request, name: 'SECOND' }],
        ['PATCH', `/secrets/${secret.id}`, { value: 'another' }],
        ['DELETE', `/secrets/${secret.id}`, undefined],
        ['PUT', `/secrets/${secret.id}/workspaces/${workspaceId}`, undefined],
      ] as const
      for (const [method, path, body] of changes) {
        expect(await codeOf(method, path, body, key)).toBe('auth.session-required')
      }
      application.clock.now += 60 * 60_000
      for (const [method, path, body] of changes) {
        expect(await codeOf(method, path, body)).toBe('auth.confirmation-required')
      }
      expect(await list(key)).toEqual([secret])
    })

    test('another person finds no secret, and makes none for the installation or a workspace of others', async () => {
      const { id: workspaceId } = await newWorkspace('Mine')
      const own = await add()
      const shared = await add({ owner: 'workspace', workspaceId })
      const all = await add({ owner: 'installation' })
      const thread = await newThread({}, other)
      await application.confirm(other)
      for (const { id } of [own, shared, all]) {
        expect(await codeOf('PATCH', `/secrets/${id}`, { hosts: ['evil.example'] }, other)).toBe('secret.not-found')
        expect(await codeOf('DELETE', `/secrets/${id}`, undefined, other)).toBe('secret.not-found')
        await expect(grants().grant(other.userId, thread, { secretId: id, way: 'brokered' })).rejects.toMatchObject({
          code: 'secret.not-found',
        })
      }
      expect(await list(other)).toEqual([])
      expect(await codeOf('POST', '/secrets', { ...request, owner: 'installation' }, other)).toBe('auth.owner-required')
      expect(await codeOf('POST', '/secrets', { ...request, owner: 'workspace', workspaceId }, other)).toBe(
        'workspace.not-found',
      )
    })
  })

  test('a value is sealed in the database, and in no response and no row of the audit log', async () => {
    application.clock.now += 1000
    const secret = await add({ hosts: ['API.example.org.:443', 'api.example.org', 'b.example.org:8443'] })
    expect(secret).toMatchObject({
      name: 'SERVICE_TOKEN',
      owner: 'person',
      workspaceId: null,
      hosts: ['api.example.org', 'b.example.org:8443'],
      positions: ['header'],
      methods: null,
      pathPrefix: null,
      header: null,
      workspaceIds: [],
      threads: [],
      lastUsedAt: null,
    })
    application.clock.now += 1000
    const changed = await answer<Secret>('PATCH', `/secrets/${secret.id}`, { value: `${value}-2`, pathPrefix: '/v1' })
    const rows = await tablesIn(application.open).selectFrom('secrets').selectAll().execute()
    expect(rows).toMatchObject([{ revision: 2, name: 'SERVICE_TOKEN' }])
    const { events } = await answer<{ events: AuditEvent[] }>('GET', '/audit')
    expect(events.slice(0, 2).map(({ action, subject }) => [action, subject])).toEqual([
      ['secret-value-changed', secret.id],
      ['secret-created', secret.id],
    ])
    expect(events[0]).toMatchObject({
      before: { revision: 1, pathPrefix: '' },
      after: { revision: 2, pathPrefix: '/v1' },
    })
    expect(JSON.stringify([secret, changed, rows, events, await list()])).not.toContain(value)
    expect(await application.areas.platform.secrets.inUse()).toContain(`${value}-2`)
  })

  describe('which threads have it', () => {
    test('a personal secret: those that it was granted to, as long as no other person can work there', async () => {
      const [thread, second] = [await newThread(), await newThread()]
      const { id } = await add()
      expect(await usableIn(thread.id)).toEqual([])
      await grants().grant(owner.userId, thread, { secretId: id, way: 'brokered' })
      expect([await usableIn(thread.id), await usableIn(second.id)]).toEqual([['SERVICE_TOKEN'], []])
      expect(await list()).toMatchObject([{ threadCount: 1, threads: [{ id: thread.id, way: 'brokered' }] }])
      const { id: workspaceId } = await newWorkspace('Shared')
      await answer('PATCH', `/threads/${thread.id}`, { workspaceId })
      expect(await usableIn(thread.id)).toEqual(['SERVICE_TOKEN'])
      await answer('PUT', `/workspaces/${workspaceId}/members/${other.userId}`, { role: 'member' })
      expect(await usableIn(thread.id)).toEqual([])
      const moved = await application.areas.threads.rows.findAny(thread.id)
      if (moved === undefined) throw new Error('no thread')
      expect(await grants().list(owner.userId, moved)).toMatchObject([{ way: 'brokered', obstacle: 'shared' }])
      await expect(grants().grant(owner.userId, moved, { secretId: id, way: 'direct' })).rejects.toMatchObject({
        code: 'secret.thread-shared',
      })
      expect(await grants().taintedAt(thread.id)).toBe(null)
      await grants().revoke(other.userId, moved, id)
      expect(await grants().list(owner.userId, moved)).toMatchObject([{ way: null, obstacle: null }])
    })

    test('a workspace’s secret: threads of that workspace only', async () => {
      const [first, second] = [await newWorkspace('First'), await newWorkspace('Second')]
      const [inside, outside] = [
        await newThread({ workspaceId: first.id }),
        await newThread({ workspaceId: second.id }),
      ]
      const { id } = await add({ owner: 'workspace', workspaceId: first.id })
      expect(await codeOf('PUT', `/secrets/${id}/workspaces/${second.id}`)).toBe('workspace.not-found')
      await expect(grants().grant(owner.userId, outside, { secretId: id, way: 'brokered' })).rejects.toMatchObject({
        code: 'secret.not-found',
      })
      expect(await answer('PUT', `/secrets/${id}/workspaces/${first.id}`)).toMatchObject({ workspaceIds: [first.id] })
      expect([await usableIn(inside.id), await usableIn(outside.id)]).toEqual([['SERVICE_TOKEN'], []])
      await answer('PATCH', `/threads/${inside.id}`, { workspaceId: second.id })
      expect(await usableIn(inside.id)).toEqual([])
      await answer('DELETE', `/secrets/${id}/workspaces/${first.id}`)
      await answer('PATCH', `/threads/${inside.id}`, { workspaceId: first.id })
      expect(await usableIn(inside.id)).toEqual([])
    })

    test('of two secrets of one name, the thread’s own is used, and a second one is not granted to it', async () => {
      const { id: workspaceId } = await newWorkspace('Twice')
      const thread = await newThread({ workspaceId })
      const shared = await add({ owner: 'workspace', workspaceId, hosts: ['shared.example.org'] })
      application.clock.now += 1000
      const own = await add()
      await answer('PUT', `/secrets/${shared.id}/workspaces/${workspaceId}`)
      await grants().grant(owner.userId, thread, { secretId: own.id, way: 'brokered' })
      const used = await application.areas.threads.secrets.usable.ofThread(thread)
      expect(used.map(({ id }) => id)).toEqual([own.id])
      expect(await grants().list(owner.userId, thread)).toMatchObject([
        { id: shared.id, way: null, isGrantedByWorkspace: true, obstacle: 'hidden' },
        { id: own.id, way: 'brokered', obstacle: null },
      ])
      await expect(
        grants().grant(owner.userId, thread, { secretId: shared.id, way: 'brokered' }),
      ).rejects.toMatchObject({ code: 'secret.name-granted' })
    })

    test('a value given directly marks the thread for good', async () => {
      const thread = await newThread()
      const { id } = await add()
      await grants().grant(owner.userId, thread, { secretId: id, way: 'direct' })
      await grants().revoke(owner.userId, thread, id)
      expect(await grants().taintedAt(thread.id)).toBe(application.clock.now)
    })

    test('deleting the secret, the workspace or the person ends it', async () => {
      const thread = await newThread()
      const { id } = await add()
      await grants().grant(owner.userId, thread, { secretId: id, way: 'brokered' })
      await answer('DELETE', `/secrets/${id}`)
      expect(await usableIn(thread.id)).toEqual([])
      expect(await tablesIn(application.open).selectFrom('secret_grants').selectAll().execute()).toEqual([])
    })
  })
})

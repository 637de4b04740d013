import type { Thread, ThreadPage, Workspace, WorkspaceContents, Workspaces } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, `/api/v1${path}`, { person: owner, body })
  const request = async <Answer>(method: string, path: string, body?: unknown) =>
    (await (await call(method, path, body)).json()) as Answer
  const codeOf = async (method: string, path: string, body?: unknown) =>
    (await request<{ error?: { code: string } }>(method, path, body)).error?.code
  const create = (name: string) => request<Workspace>('POST', '/workspaces', { name })
  const newThread = (body: object = {}) => request<Thread>('POST', '/threads', body)
  const order = async () =>
    (await request<Workspaces>('GET', '/workspaces')).workspaces.map(({ name }) => name).join(' ')

  test('C12: a name is one line of 1 to 80 characters, trimmed, and unique among the user’s workspaces', async () => {
    for (const name of ['', '   ', 'a\nb', 'a\u2028b', 'a\tb', 'x'.repeat(81)]) {
      expect([name, await codeOf('POST', '/workspaces', { name })]).toEqual([name, 'request.invalid'])
    }
    expect(await create('  Bike-share  ')).toMatchObject({ name: 'Bike-share', threadCount: 0, isCollapsed: false })
    expect(await codeOf('POST', '/workspaces', { name: 'BIKE-SHARE' })).toBe('workspace.name-taken')
    const { id } = await create('Übersicht 🚲')
    expect(await codeOf('PATCH', `/workspaces/${id}`, { name: 'bike-share' })).toBe('workspace.name-taken')
    expect(await request('PATCH', `/workspaces/${id}`, { name: 'ÜBERSICHT 🚲' })).toMatchObject({
      name: 'ÜBERSICHT 🚲',
    })
    const other = await server.addPerson('other')
    const theirs = await server.call('POST', '/api/v1/workspaces', { person: other, body: { name: 'Bike-share' } })
    expect(theirs.status).toBe(201)
  })

  test('C12: two tabs that create the same name at the same time create one workspace', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/workspaces', { name: 'Same' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(await order()).toBe('Same')
  })

  test('C12: threads cannot be put into an unknown, another user’s, archived or deleted workspace', async () => {
    const other = await server.addPerson('other')
    const theirs = await server.areas.threads.workspaces.create(other.userId, { name: 'Theirs' })
    const archived = await create('Archived')
    await request('PATCH', `/workspaces/${archived.id}`, { isArchived: true })
    const deleted = await create('Deleted')
    await request('DELETE', `/workspaces/${deleted.id}`)
    const thread = await newThread()
    const wrong = [
      ['w-unknown', 'workspace.not-found'],
      [theirs.id, 'workspace.not-found'],
      [archived.id, 'workspace.archived'],
      [deleted.id, 'workspace.not-found'],
    ]
    for (const [workspaceId, code] of wrong) {
      expect(await codeOf('PATCH', `/threads/${thread.id}`, { workspaceId, title: 'not this either' })).toBe(code)
      expect(await codeOf('POST', '/threads', { workspaceId })).toBe(code)
    }
    expect(await request('GET', `/threads/${thread.id}`)).toMatchObject({ workspaceId: null, title: '' })
    expect((await request<ThreadPage>('GET', '/threads')).threads).toHaveLength(1)
  })

  test('C12: a thread in another user’s workspace is as unknown as any of their threads', async () => {
    const other = await server.addPerson('other')
    const theirs = await server.areas.threads.workspaces.create(other.userId, { name: 'Theirs' })
    const { id } = await server.areas.threads.threads.create(other.userId, { workspaceId: theirs.id })
    expect(await codeOf('GET', `/threads/${id}`)).toBe('thread.not-found')
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['PUT', '/position', { before: null }],
      ['GET', '/contents'],
      ['DELETE', ''],
      ['POST', '/restore'],
    ] as const) {
      expect(await codeOf(method, `/workspaces/${theirs.id}${path}`, body)).toBe('workspace.not-found')
    }
    expect(await server.areas.threads.workspaces.get(other.userId, theirs.id)).toMatchObject({
      name: 'Theirs',
      threadCount: 1,
    })
  })

  test('C12: a thread moves in, between and out, keeps everything else, and the counts follow', async () => {
    const [one, two] = [await create('One'), await create('Two')]
    const thread = await newThread({ title: 'Moving', workspaceId: one.id })
    const counts = async () =>
      (await request<Workspaces>('GET', '/workspaces')).workspaces.map(({ threadCount }) => threadCount)
    expect(await counts()).toEqual([1, 0])
    const moved = await request<Thread>('PATCH', `/threads/${thread.id}`, { workspaceId: two.id })
    expect(moved).toEqual({ ...thread, workspaceId: two.id, sandbox: expect.anything() })
    expect(await counts()).toEqual([0, 1])
    expect(await request('PATCH', `/threads/${thread.id}`, { workspaceId: null })).toMatchObject({ workspaceId: null })
    expect(await counts()).toEqual([0, 0])
  })

  test('C12: workspaces have an order that two concurrent tabs cannot break', async () => {
    const made = []
    for (const name of ['a', 'b', 'c', 'd']) made.push(await create(name))
    const [a, b, c, d] = made.map(({ id }) => id)
    const place = (id: string | undefined, before: string | null | undefined) =>
      call('PUT', `/workspaces/${id}/position`, { before })
    await place(d, a)
    expect(await order()).toBe('d a b c')
    await place(d, null)
    expect(await order()).toBe('a b c d')
    expect(await codeOf('PUT', `/workspaces/${a}/position`, { before: a })).toBe('workspace.place-invalid')
    expect(await codeOf('PUT', `/workspaces/${a}/position`, { before: 'w-unknown' })).toBe('workspace.not-found')
    // a before b, b before c, c before a: a cycle, if these were relations.
    await Promise.all([place(a, b), place(b, c), place(c, a), place(d, a), place(a, null)])
    expect((await order()).split(' ').sort()).toEqual(['a', 'b', 'c', 'd'])
    await request('DELETE', `/workspaces/${b}`)
    await place(a, c)
    expect(await order()).toMatch(/a c/)
  })

  test('C12: collapsed and archived are remembered', async () => {
    const { id } = await create('Kept')
    await request('PATCH', `/workspaces/${id}`, { isCollapsed: true })
    const archived = await request<Workspace>('PATCH', `/workspaces/${id}`, { isArchived: true })
    expect(archived).toMatchObject({ isCollapsed: true, archivedAt: server.clock.now })
    expect(await request('PATCH', `/workspaces/${id}`, { isArchived: false })).toMatchObject({ archivedAt: null })
  })

  test('C12: deleting lists all contents and deletes the threads too; a restore within the time brings all back', async () => {
    const { id } = await create('Doomed')
    const kept = await newThread({ title: 'elsewhere' })
    const threads = [await newThread({ title: 'one', workspaceId: id }), await newThread({ workspaceId: id })]
    const early = await newThread({ title: 'deleted before', workspaceId: id })
    await request('DELETE', `/threads/${early.id}`)
    server.clock.now += 5
    const contents = await request<WorkspaceContents>('GET', `/workspaces/${id}/contents`)
    expect(contents).toMatchObject({ threadCount: 2, sandboxCount: 0, serviceCount: 0, diskBytes: 0 })
    expect(contents.threads.map(({ title }) => title).sort()).toEqual(['', 'one'])
    await request('DELETE', `/workspaces/${id}`)
    expect(await order()).toBe('')
    expect((await request<ThreadPage>('GET', '/threads')).threads.map((thread) => thread.id)).toEqual([kept.id])
    expect(await codeOf('GET', `/workspaces/${id}`)).toBe('workspace.not-found')
    expect(await codeOf('GET', `/threads/${threads[0]?.id}/entries`)).toBe('thread.not-found')
    expect(await request('POST', `/workspaces/${id}/restore`)).toMatchObject({ name: 'Doomed', threadCount: 2 })
    const shown = (await request<ThreadPage>('GET', '/threads')).threads.map((thread) => thread.id)
    expect(shown.sort()).toEqual([kept.id, ...threads.map((thread) => thread.id)].sort())
  })

  test('C12: a deletion leaves nothing behind: no workspace, member, thread, event or document', async () => {
    const { id } = await create('Doomed')
    const thread = await newThread({ title: 'findable', workspaceId: id })
    const kept = await newThread({ title: 'kept' })
    await request('POST', `/threads/${thread.id}/messages`, { text: '/help', key: 'key-12345678' })
    await server.areas.turns.turns.settled(thread.id)
    await request('DELETE', `/workspaces/${id}`)
    server.clock.now += 31_000
    await server.start()
    await expect.poll(() => server.areas.threads.inside.store.findAny(thread.id)).toBeUndefined()
    const database = tablesIn(server.open)
    const rows = async (table: 'workspaces' | 'workspace_members' | 'operations') =>
      (await database.selectFrom(table).selectAll().execute()).length
    await expect.poll(() => rows('operations')).toBe(0)
    expect([await rows('workspaces'), await rows('workspace_members')]).toEqual([0, 0])
    const left = async (table: 'thread_entries' | 'thread_events' | 'search_documents') =>
      (await database.selectFrom(table).selectAll().where('thread_id', '=', thread.id).execute()).length
    expect(await left('thread_entries')).toBe(0)
    expect(await left('thread_events')).toBe(0)
    expect(await left('search_documents')).toBe(0)
    expect(await codeOf('POST', `/workspaces/${id}/restore`)).toBe('workspace.not-found')
    expect(await request('GET', `/threads/${kept.id}`)).toMatchObject({ title: 'kept' })
  })

  test('C12: a deletion that a crash cut off is dropped if nothing was marked, and carried out otherwise', async () => {
    const unmarked = await create('Untold')
    await server.areas.platform.operations.plan({ kind: 'delete-workspace', subjectId: unmarked.id, dueAt: 0 })
    const marked = await create('Told')
    const thread = await newThread({ workspaceId: marked.id })
    await tablesIn(server.open)
      .updateTable('workspaces')
      .set({ deleted_at: server.clock.now })
      .where('id', '=', marked.id)
      .execute()
    await server.start()
    await expect.poll(() => server.areas.platform.operations.isPlanned('delete-workspace', unmarked.id)).toBe(false)
    expect(await order()).toBe('Untold')
    expect(await server.areas.platform.operations.isPlanned('delete-workspace', marked.id)).toBe(true)
    expect(await codeOf('GET', `/threads/${thread.id}/entries`)).toBe('thread.not-found')
  })

  test('C12: the name of a deleted workspace is free immediately, and then the old one stays deleted', async () => {
    const first = await create('Reports')
    await request('DELETE', `/workspaces/${first.id}`)
    await create('reports')
    expect(await codeOf('POST', `/workspaces/${first.id}/restore`)).toBe('workspace.name-taken')
    expect(await order()).toBe('reports')
  })

  test('C12: ten thousand threads in a workspace are counted, named and deleted in bounded time', async () => {
    const { id } = await create('Many')
    const one = await newThread({ workspaceId: id })
    const database = tablesIn(server.open)
    const row = await database.selectFrom('threads').selectAll().where('id', '=', one.id).executeTakeFirstOrThrow()
    for (let at = 0; at < 9_999; at += 999) {
      const part = Array.from({ length: Math.min(999, 9_999 - at) }, (_, index) => ({ ...row, id: `t-${at + index}` }))
      await database.insertInto('threads').values(part).execute()
    }
    await request('PATCH', `/workspaces/${id}`, { policy: { idlePauseMinutes: 7 } })
    const startedAt = performance.now()
    expect(await request('GET', `/workspaces/${id}`)).toMatchObject({ threadCount: 10_000 })
    const page = await request<ThreadPage>('GET', '/threads?limit=200')
    expect(page.threads).toHaveLength(200)
    const contents = await request<WorkspaceContents>('GET', `/workspaces/${id}/contents`)
    expect([contents.threadCount, contents.threads.length]).toEqual([10_000, 200])
    await request('DELETE', `/workspaces/${id}`)
    expect((await request<ThreadPage>('GET', '/threads')).threads).toHaveLength(0)
    await request('POST', `/workspaces/${id}/restore`)
    expect(await request('GET', `/workspaces/${id}`)).toMatchObject({ threadCount: 10_000 })
    // Generous, because tests share their machine: one query per thread would take many times as long.
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  }, 120_000)
})

import { setTimeout as delay } from 'node:timers/promises'
import type { Entry, SandboxView, SearchHit, Thread, ThreadPage } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { makeAnnounceThread } from './threads.usecases.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const request = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> =>
    (await (await server.call(method, `/api/v1${path}`, { person: owner, body })).json()) as Answer
  const create = (title: string) => request<Thread>('POST', '/threads', { title })
  const search = async (query: string) =>
    (await request<{ hits: SearchHit[] }>('GET', `/search?q=${encodeURIComponent(query)}`)).hits

  test('the list is paged without gap or duplicate, pinned first, although threads change in between', async () => {
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1) {
      server.clock.now += 1
      ids.push((await create(`thread ${index}`)).id)
    }
    await request('PATCH', `/threads/${ids[2]}`, { isPinned: true })
    const first = await request<ThreadPage>('GET', '/threads?limit=3')
    expect(first.threads.map((thread) => thread.id)).toEqual([ids[2], ids[6], ids[5]])
    await request('DELETE', `/threads/${ids[5]}`)
    const second = await request<ThreadPage>('GET', `/threads?limit=10&cursor=${first.next}`)
    expect(second.threads.map((thread) => thread.id)).toEqual([ids[4], ids[3], ids[1], ids[0]])
    expect(second.next).toBeNull()
  })

  test('an outdated state is never published after its successor', async () => {
    const { id, sandbox } = await create('wakes')
    const { store } = server.areas.threads.inside
    const { log, access } = server.areas.threads
    const { userHub } = server.areas.people
    const published: string[] = []
    using _subscription = userHub.subscribe(owner.userId, (event) => {
      if (event.type === 'thread-updated') published.push(event.thread.sandbox.state)
    })
    const slow = Promise.withResolvers<void>()
    const states: SandboxView['state'][] = ['waking', 'active']
    let reads = 0
    const sandboxViews = async () => {
      const state = states[reads++] ?? 'error'
      if (state === 'waking') await slow.promise
      return new Map([[id, { ...sandbox, state }]])
    }
    const announce = makeAnnounceThread({ store, log, access, userHub, sandboxViews })
    const first = announce(id)
    await expect.poll(() => reads).toBe(1)
    const second = announce(id)
    await Promise.race([second, delay(100)])
    slow.resolve()
    await Promise.all([first, second])
    expect(published).toEqual(['waking', 'active'])
  })

  test('a title set by a user is never replaced by an automatic one', async () => {
    const thread = await request<Thread>('POST', '/threads', {})
    await server.areas.threads.threads.setAutomaticTitle(thread.id, 'Suggested')
    expect(await request('GET', `/threads/${thread.id}`)).toMatchObject({
      title: 'Suggested',
      titleSource: 'automatic',
    })
    await request('PATCH', `/threads/${thread.id}`, { title: '  Mine  ' })
    await server.areas.threads.threads.setAutomaticTitle(thread.id, 'Suggested again')
    expect(await request('GET', `/threads/${thread.id}`)).toMatchObject({ title: 'Mine', titleSource: 'person' })
  })

  test('another user’s thread is not found, with the same error as one that never existed', async () => {
    const other = await server.addPerson('other')
    const { id } = await server.areas.threads.threads.create(other.userId, {})
    for (const threadId of [id, 't-unknown']) {
      const response = await server.call('GET', `/api/v1/threads/${threadId}`, { person: owner })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: 'thread.not-found' } })
    }
  })

  test('search finds titles, text, commands and file names by parts of words, and only those of the user', async () => {
    const thread = await create('Quarterly Überblick')
    const base = { turnId: 'n1', at: 5 }
    const call = { ...base, kind: 'tool-call', stepId: null, startedAt: null, endedAt: null, error: null } as const
    const output = { tail: '', tailOffset: 0, sizeBytes: 0 }
    const entries: Entry[] = [
      {
        ...base,
        id: 'e1',
        kind: 'user-message',
        text: 'please plot the revenue 100%_sure',
        attachments: [],
        status: 'delivered',
      },
      {
        ...call,
        id: 'e2',
        tool: 'run_command',
        input: { command: 'pip install seaborn' },
        status: 'failed',
        output,
        result: null,
      },
      {
        ...call,
        id: 'e3',
        tool: 'write_file',
        input: { path: '/home/user/report.docx' },
        status: 'failed',
        output,
        result: null,
      },
      { ...base, id: 'e4', kind: 'text', stepId: 'p1', text: '売上のグラフです', status: 'done' },
    ]
    await server.areas.threads.log.append(
      thread.id,
      entries.map((entry) => ({ type: 'entry-added', entry })),
    )
    const other = await server.addPerson('other')
    await server.areas.threads.threads.create(other.userId, { title: 'revenue of somebody else' })
    expect(await search('berblick')).toMatchObject([{ where: 'title', threadId: thread.id, entryId: null }])
    expect(await search('REVENUE plot')).toMatchObject([
      { where: 'text', entryId: 'e1', threadTitle: 'Quarterly Überblick' },
    ])
    expect(await search('100%_su')).toHaveLength(1)
    expect(await search('%')).toHaveLength(1)
    expect(await search('seabo')).toMatchObject([{ where: 'command', entryId: 'e2', excerpt: 'pip install seaborn' }])
    expect(await search('report.doc')).toMatchObject([{ where: 'file', entryId: 'e3' }])
    expect(await search('グラフ')).toMatchObject([{ where: 'text', entryId: 'e4' }])
    expect(await search('"quoted" OR NEAR(')).toEqual([])
    await server.areas.threads.log.append(thread.id, [{ type: 'entry-removed', entryId: 'e2' }])
    expect(await search('seaborn')).toEqual([])
    await request('DELETE', `/threads/${thread.id}`)
    expect(await search('revenue')).toEqual([])
  })

  test('a deletion that a crash cut off before the thread was marked is dropped; a marked one is carried out', async () => {
    const unmarked = await create('untold')
    await server.areas.platform.operations.plan({ kind: 'delete-thread', subjectId: unmarked.id, dueAt: 0 })
    const marked = await create('told')
    await server.areas.threads.inside.store.update(marked.id, { deleted_at: server.clock.now })
    await server.start()
    await expect.poll(() => server.areas.platform.operations.isPlanned('delete-thread', unmarked.id)).toBe(false)
    expect(await request('GET', `/threads/${unmarked.id}`)).toMatchObject({ title: 'untold' })
    expect(await server.areas.platform.operations.isPlanned('delete-thread', marked.id)).toBe(true)
  })

  test('C2: a thread that was being created when the server ended is deleted soon after the start', async () => {
    const like = { user_id: owner.userId, title: 'half', title_source: 'person' as const, model_id: null }
    const id = await server.areas.threads.threadDrafts.create({ ...like, workspace_id: null })
    const inUse = (await server.areas.platform.operations.dueAt('delete-thread', id)) ?? 0
    await server.start()
    const dueAt = (await server.areas.platform.operations.dueAt('delete-thread', id)) ?? 0
    expect(inUse - dueAt).toBeGreaterThan(60_000)
    server.clock.now = dueAt
    await server.areas.platform.operations.plan({ kind: 'delete-thread', subjectId: 'other', dueAt })
    await expect.poll(() => server.areas.threads.inside.store.findAny(id), { timeout: 60_000 }).toBeUndefined()
  })
})

import type {
  AuditEvent,
  SearchHit,
  Thread,
  ThreadPage,
  UserEvent,
  WorkspaceMembers,
  WorkspaceRole,
  Workspaces,
} from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { confirmedCalls, type Refusal } from '../../confirmed-calls.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  let eve: TestPerson
  let workspaceId: string
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    ben = await server.addPerson('ben')
    eve = await server.addPerson('eve')
    workspaceId = (await as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'Team' })).id
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const { as, codeOf } = confirmedCalls(() => server)
  const give = (person: TestPerson, role: WorkspaceRole, by = owner) =>
    as<WorkspaceMembers & Refusal>(by, 'PUT', `/workspaces/${workspaceId}/members/${person.userId}`, { role })
  const remove = (person: TestPerson, by = owner) =>
    codeOf(by, 'DELETE', `/workspaces/${workspaceId}/members/${person.userId}`)
  const leave = (person: TestPerson) => codeOf(person, 'POST', `/workspaces/${workspaceId}/leave`)
  const newThread = (person: TestPerson, body: object = {}) =>
    as<Thread>(person, 'POST', '/threads', { workspaceId, ...body })
  const titles = async (person: TestPerson) =>
    (await as<ThreadPage>(person, 'GET', '/threads')).threads.map(({ title }) => title)
  const read = (person: TestPerson, threadId: string) => as<Thread & Refusal>(person, 'GET', `/threads/${threadId}`)
  const audited = async (action: string) => {
    const { events } = await as<{ events: AuditEvent[] }>(owner, 'GET', '/audit')
    return events.filter((event) => event.action === action)
  }

  describe('who is in a workspace', () => {
    test('C12: its owners add people and change their roles; members are listed by role, then by name', async () => {
      await give(eve, 'viewer')
      expect((await give(ben, 'member')).members.map(({ name, role }) => [name, role])).toEqual([
        ['Owner', 'owner'],
        ['ben', 'member'],
        ['eve', 'viewer'],
      ])
      expect((await give(eve, 'owner')).members.map(({ name }) => name)).toEqual(['eve', 'Owner', 'ben'])
      const { workspaces } = await as<Workspaces>(ben, 'GET', '/workspaces')
      expect(workspaces).toMatchObject([
        { name: 'Team', role: 'member', allowed: ['read', 'work', 'change'], memberCount: 3 },
      ])
      expect(await audited('member-added')).toHaveLength(2)
      expect(await audited('member-changed')).toMatchObject([{ details: { member: eve.userId } }])
    })

    test('C12: members and viewers change nothing of it, and for everyone else it doesn’t exist', async () => {
      await give(ben, 'member')
      expect((await give(eve, 'viewer', ben)).error?.code).toBe('workspace.role-missing')
      expect(await remove(owner, ben)).toBe('workspace.role-missing')
      expect((await give(eve, 'owner', eve)).error?.code).toBe('workspace.not-found')
      expect(await codeOf(eve, 'GET', `/workspaces/${workspaceId}/members`)).toBe('workspace.not-found')
      expect(await leave(eve)).toBe('workspace.not-found')
    })

    test('C12: an unknown person, an unknown role and a person who isn’t in it are refused', async () => {
      const path = (id: string) => `/workspaces/${workspaceId}/members/${id}`
      expect(await codeOf(owner, 'PUT', path('u-unknown'), { role: 'member' })).toBe('workspace.member-not-found')
      for (const role of ['', 'admin', 'Owner', null, 1]) {
        expect(await codeOf(owner, 'PUT', path(ben.userId), { role })).toBe('request.invalid')
      }
      expect(await remove(ben)).toBe('workspace.member-not-found')
    })

    test('C12: it never loses its last owner, also when two owners remove each other at the same time', async () => {
      expect((await give(owner, 'member')).error?.code).toBe('workspace.owner-missing')
      expect(await leave(owner)).toBe('workspace.owner-missing')
      await give(ben, 'owner')
      const codes = await Promise.all([remove(ben, owner), remove(owner, ben)])
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
      const left = codes[0] === 'done' ? owner : ben
      const { members } = await as<WorkspaceMembers>(left, 'GET', `/workspaces/${workspaceId}/members`)
      expect(members.map(({ userId }) => userId)).toEqual([left.userId])
    })
  })

  describe('threads in a workspace', () => {
    test('C12: its members list, find and open shared threads, and people outside don’t', async () => {
      await give(ben, 'viewer')
      const { id } = await newThread(owner, { title: 'Bike rides' })
      expect([await titles(owner), await titles(ben), await titles(eve)]).toEqual([['Bike rides'], ['Bike rides'], []])
      const find = async (person: TestPerson) =>
        (await as<{ hits: SearchHit[] }>(person, 'GET', '/search?q=bike')).hits.map(({ threadId }) => threadId)
      expect([await find(owner), await find(ben), await find(eve)]).toEqual([[id], [id], []])
      expect(await read(ben, id)).toMatchObject({ creatorId: owner.userId, allowed: ['read'] })
      expect((await read(eve, id)).error?.code).toBe('thread.not-found')
      const counts = async (person: TestPerson) => (await as<Workspaces>(person, 'GET', '/workspaces')).workspaces
      expect(await counts(ben)).toMatchObject([{ threadCount: 1 }])
    })

    test('C12: pages of the list have own and others’ threads in one order, each once', async () => {
      await give(ben, 'member')
      for (let count = 0; count < 9; count++) {
        server.clock.now += 1000
        await newThread(count % 2 === 0 ? owner : ben, { title: `t${count}` })
      }
      const { threads } = await as<ThreadPage>(ben, 'GET', '/threads')
      const third = threads.find(({ title }) => title === 't2')
      await as(ben, 'PATCH', `/threads/${third?.id}`, { isPinned: true })
      const seen: string[] = []
      let cursor = ''
      do {
        const page: ThreadPage = await as(ben, 'GET', `/threads?limit=2${cursor}`)
        seen.push(...page.threads.map(({ title }) => title))
        cursor = page.next === null ? '' : `&cursor=${page.next}`
      } while (cursor !== '')
      expect(seen).toEqual(['t2', 't8', 't7', 't6', 't5', 't4', 't3', 't1', 't0'])
      expect((await titles(owner))[0]).toBe('t8')
    })

    test('C12: a pin and what was read are each person’s own', async () => {
      await give(ben, 'member')
      server.clock.now += 1000
      const { id } = await newThread(owner)
      await as(owner, 'POST', `/threads/${id}/messages`, { text: '/help', key: 'key-12345678' })
      await server.areas.turns.turns.settled(id)
      expect(await read(ben, id)).toMatchObject({ hasUnread: true, isPinned: false })
      await as(ben, 'PATCH', `/threads/${id}`, { isRead: true, isPinned: true })
      expect(await read(ben, id)).toMatchObject({ hasUnread: false, isPinned: true })
      expect(await read(owner, id)).toMatchObject({ hasUnread: true, isPinned: false })
      server.clock.now += 1000
      await give(eve, 'viewer')
      expect(await read(eve, id)).toMatchObject({ hasUnread: false })
    })

    test('C12: a private thread exists for its creator only, whatever the others’ roles', async () => {
      await give(ben, 'member')
      const { id } = await newThread(ben, { title: 'Mine', isPrivate: true })
      expect([await titles(owner), await titles(ben)]).toEqual([[], ['Mine']])
      expect((await read(owner, id)).error?.code).toBe('thread.not-found')
      expect(await codeOf(owner, 'DELETE', `/threads/${id}`)).toBe('thread.not-found')
      expect((await as<{ hits: SearchHit[] }>(owner, 'GET', '/search?q=mine')).hits).toEqual([])
      const { workspaces } = await as<Workspaces>(owner, 'GET', '/workspaces')
      expect(workspaces).toMatchObject([{ threadCount: 0 }])
      const contents = await as(owner, 'GET', `/workspaces/${workspaceId}/contents`)
      expect(contents).toMatchObject({ threadCount: 1, threads: [{ title: '', isPrivate: true }] })
      await as(ben, 'PATCH', `/threads/${id}`, { isPrivate: false })
      expect([await titles(owner), (await audited('thread-shared')).length]).toEqual([['Mine'], 1])
    })

    test('C12: only its creator makes a thread private or takes it out of the workspace', async () => {
      await give(ben, 'member')
      const { id } = await newThread(ben)
      expect(await codeOf(owner, 'PATCH', `/threads/${id}`, { isPrivate: true })).toBe('thread.creator-required')
      expect(await codeOf(owner, 'PATCH', `/threads/${id}`, { workspaceId: null })).toBe('thread.creator-required')
      const { id: elsewhere } = await as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'Elsewhere' })
      expect(await codeOf(owner, 'PATCH', `/threads/${id}`, { workspaceId: elsewhere })).toBe('thread.creator-outside')
      expect(await codeOf(owner, 'POST', '/threads', { isPrivate: true })).toBe('thread.private-outside')
      expect(await codeOf(ben, 'PATCH', `/threads/${id}`, { workspaceId: null })).toBe('done')
      expect(await titles(owner)).toEqual([])
    })

    test('C12: a fork belongs to the person who makes it: in the workspace, or for a viewer outside of it', async () => {
      await give(ben, 'member')
      await give(eve, 'viewer')
      const { id } = await newThread(owner, { title: 'Source' })
      const fork = (person: TestPerson) => as<Thread>(person, 'POST', `/threads/${id}/fork`, {})
      expect(await fork(ben)).toMatchObject({ creatorId: ben.userId, workspaceId })
      expect(await fork(eve)).toMatchObject({ creatorId: eve.userId, workspaceId: null })
      expect(await titles(owner)).toHaveLength(2)
    })

    test('C12: changes reach every member’s sidebar, and the page of a person who lost a thread says that it is gone', async () => {
      await give(ben, 'member')
      const events: UserEvent[] = []
      using _subscription = server.areas.people.userHub.subscribe(ben.userId, (event) => events.push(event))
      const { id } = await newThread(owner, { title: 'One' })
      await as(owner, 'PATCH', `/threads/${id}`, { title: 'Two' })
      const shown = events.flatMap((event) => (event.type === 'thread-updated' ? [event.thread.title] : []))
      expect(shown).toEqual(['One', 'Two'])
      await as(owner, 'PATCH', `/threads/${id}`, { isPrivate: true })
      expect(events).toContainEqual({ type: 'thread-removed', threadId: id })
    })
  })

  describe('a person who leaves', () => {
    test('C12: takes their private threads along, and loses all others', async () => {
      await give(ben, 'member')
      await newThread(ben, { title: 'Shared by ben' })
      const { id } = await newThread(ben, { title: 'Private of ben', isPrivate: true })
      expect(await leave(ben)).toBe('done')
      expect(await titles(ben)).toEqual(['Private of ben'])
      expect(await read(ben, id)).toMatchObject({
        workspaceId: null,
        isPrivate: false,
        allowed: ['read', 'work', 'change', 'manage'],
      })
      expect(await titles(owner)).toEqual(['Shared by ben'])
    })

    test('C12: gets no further event of a thread, on a stream that was open', async () => {
      await give(ben, 'viewer')
      const { id } = await newThread(owner)
      const caller = { userId: ben.userId, sessionId: 's', apiKeyId: null, workspaceIds: null }
      const sources = server.areas.threads.inside.sources
      const end = new AbortController()
      const events = (await sources.thread(caller, { threadId: id, afterSeq: 0 }))(end.signal)
      await as(owner, 'PATCH', `/threads/${id}`, { title: 'Before' })
      expect((await events.next()).value?.data).toContain('Before')
      await remove(ben)
      server.clock.now += 2000
      await as(owner, 'PATCH', `/threads/${id}`, { title: 'After' })
      await expect(events.next()).rejects.toMatchObject({ code: 'thread.not-found' })
      end.abort()
    })
  })

  describe('what is a person’s own', () => {
    const personalOwner = (threadId: string) => server.areas.threads.personalOwnerOf(threadId)

    test('C12: is unusable in a thread in which others can work, until its creator allows it again', async () => {
      const { id } = await newThread(owner)
      expect(await personalOwner(id)).toBe(owner.userId)
      await give(eve, 'viewer')
      expect(await personalOwner(id)).toBe(owner.userId)
      await give(ben, 'member')
      expect(await personalOwner(id)).toBe(null)
      expect(await codeOf(owner, 'PATCH', `/threads/${id}`, { allowsPersonal: true })).toBe('thread.shared-with-others')
      await remove(ben)
      expect(await personalOwner(id)).toBe(null)
      expect(await read(owner, id)).toMatchObject({ isPersonalOff: true })
      expect(await as(owner, 'PATCH', `/threads/${id}`, { allowsPersonal: true })).toMatchObject({
        isPersonalOff: false,
      })
      expect(await personalOwner(id)).toBe(owner.userId)
      expect(await audited('thread-personal-allowed')).toHaveLength(1)
    })

    test('C12: also stays unusable in a thread that becomes private, or leaves the workspace', async () => {
      await give(ben, 'member')
      const [first, second] = [await newThread(owner), await newThread(owner)]
      await as(owner, 'PATCH', `/threads/${first.id}`, { isPrivate: true })
      await as(owner, 'PATCH', `/threads/${second.id}`, { workspaceId: null })
      expect([await personalOwner(first.id), await personalOwner(second.id)]).toEqual([null, null])
      expect((await newThread(ben, { isPrivate: true })).isPersonalOff).toBe(false)
    })
  })
})

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Skill, SkillContent, Skills, Thread, ThreadSkills, Workspace } from '@threadbox/protocol/public'
import { maxSkillsPerHome } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import type { CheckedSkill } from './skill-files.logic.ts'
import { makeZip, skillText } from './skill-zip.test-utils.ts'
import { readZip } from './zip-reader.ts'

onBothDatabases((target) => {
  let host: HostStandIn
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    host = await startHostStandIn()
    server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath })
    owner = await server.signUpOwner()
    await server.start()
    await host.followed()
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  const call = (method: string, path: string, body?: unknown, person = owner) =>
    server.call(method, `/api/v1${path}`, { person, body })
  const request = async <Answer>(method: string, path: string, body?: unknown, person = owner) =>
    (await (await call(method, path, body, person)).json()) as Answer
  const codeOf = async (method: string, path: string, body?: unknown, person = owner) =>
    (await request<{ error?: { code: string } }>(method, path, body, person)).error?.code
  const send = (
    method: string,
    path: string,
    body: string | Uint8Array,
    contentType = 'text/markdown',
    person = owner,
  ) => server.call(method, `/api/v1${path}`, { person, body, headers: { 'content-type': contentType } })
  const add = async (
    name: string,
    options: { workspaceId?: string; description?: string; person?: TestPerson } = {},
  ) => {
    const query = options.workspaceId === undefined ? '' : `?workspaceId=${options.workspaceId}`
    const text = skillText(name, options.description)
    return (await (await send('POST', `/skills${query}`, text, 'text/markdown', options.person)).json()) as Skill
  }
  const newWorkspace = (name: string) => request<Workspace>('POST', '/workspaces', { name })
  const newThread = (workspaceId: string | null = null) => request<Thread>('POST', '/threads', { workspaceId })
  const ofThread = async (threadId: string) =>
    (await request<ThreadSkills>('GET', `/threads/${threadId}/skills`)).skills.map(
      ({ name, from, description }) => `${name} ${from} ${description}`,
    )
  const blobFolders = () => readdir(join(server.directory, 'blobs/skills')).catch(() => [])

  test('G6: a rejected upload leaves neither a row nor a blob', async () => {
    const wrong: [string | Uint8Array, string, string][] = [
      ['# no front matter', 'text/markdown', 'skill.front-matter-invalid'],
      [makeZip([{ name: '../x', content: 'x' }]), 'application/zip', 'skill.path-unsafe'],
      ['{}', 'application/json', 'skill.type-unsupported'],
    ]
    for (const [body, type, code] of wrong) {
      const answer = (await (await send('POST', '/skills', body, type)).json()) as { error: { code: string } }
      expect(answer.error.code).toBe(code)
    }
    expect(await request<Skills>('GET', '/skills')).toEqual({ skills: [] })
    expect(await blobFolders()).toEqual([])
  })

  test('G6: a name is unique in a scope, also with concurrent requests; in another scope it is free', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => send('POST', '/skills', skillText('tables'))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    expect(await blobFolders()).toHaveLength(1)
    const { id: workspaceId } = await newWorkspace('Data')
    const inWorkspace = await add('tables', { workspaceId })
    expect(await codeOf('PATCH', `/skills/${inWorkspace.id}`, { workspaceId: null })).toBe('skill.name-taken')
    const charts = await add('charts')
    const taken = (await (await send('PUT', `/skills/${charts.id}/content`, skillText('tables'))).json()) as object
    expect(taken).toMatchObject({ error: { code: 'skill.name-taken' } })
    expect(await request<SkillContent>('GET', `/skills/${charts.id}`)).toMatchObject({ text: skillText('charts') })
  })

  test('G6: another user’s skills and workspaces are not found', async () => {
    const other = await server.addPerson('other')
    const theirs = await add('theirs', { person: other })
    const workspace = await server.areas.threads.workspaces.create(other.userId, { name: 'Theirs' })
    for (const [method, path, body] of [
      ['GET', `/skills/${theirs.id}`, undefined],
      ['GET', `/skills/${theirs.id}/archive`, undefined],
      ['PATCH', `/skills/${theirs.id}`, { workspaceId: null }],
      ['DELETE', `/skills/${theirs.id}`, undefined],
    ] as const) {
      expect(await codeOf(method, path, body)).toBe('skill.not-found')
    }
    const put = (await (await send('PUT', `/skills/${theirs.id}/content`, skillText('x'))).json()) as object
    expect(put).toMatchObject({ error: { code: 'skill.not-found' } })
    const into = await send('POST', `/skills?workspaceId=${workspace.id}`, skillText('mine'))
    expect(await into.json()).toMatchObject({ error: { code: 'workspace.not-found' } })
    const mine = await add('mine')
    expect(await codeOf('PATCH', `/skills/${mine.id}`, { workspaceId: workspace.id })).toBe('workspace.not-found')
    expect((await request<Skills>('GET', '/skills')).skills.map(({ name }) => name)).toEqual(['mine'])
  })

  test('G6: a scope has a limit of skills', async () => {
    for (let at = 0; at < maxSkillsPerHome; at += 1) await add(`s-${at}`)
    expect(await send('POST', '/skills', skillText('one-more'))).toMatchObject({ status: 409 })
    const { id: workspaceId } = await newWorkspace('Data')
    expect(await add('one-more', { workspaceId })).toMatchObject({ name: 'one-more', workspaceId })
  })

  test('C12: a thread has its workspace’s skills and the owner’s own; the workspace’s replace those of the same name', async () => {
    const { id: workspaceId } = await newWorkspace('Data')
    await add('tables', { description: 'Mine.' })
    await add('mail', { description: 'Mine.' })
    const shared = await add('tables', { workspaceId, description: 'Theirs.' })
    const thread = await newThread(workspaceId)
    expect(await ofThread(thread.id)).toEqual(['mail person Mine.', 'tables workspace Theirs.'])
    await request('PATCH', `/threads/${thread.id}`, { workspaceId: null })
    expect(await ofThread(thread.id)).toEqual(['mail person Mine.', 'tables person Mine.'])
    await request('PATCH', `/threads/${thread.id}`, { workspaceId })
    await request('DELETE', `/skills/${shared.id}`)
    expect(await ofThread(thread.id)).toEqual(['mail person Mine.', 'tables person Mine.'])
  })

  test('G6: a skill that changed since it was read is not replaced, and nothing is lost', async () => {
    const { id, version } = await add('charts')
    const put = (text: string, over: string) =>
      server.call('PUT', `/api/v1/skills/${id}/content`, {
        person: owner,
        body: text,
        headers: { 'content-type': 'text/markdown', 'if-match': over },
      })
    const first = await put(skillText('charts', 'First.'), version)
    const now = (await first.json()) as Skill
    expect([first.status, now.version]).toEqual([200, expect.not.stringMatching(version)])
    const second = await put(skillText('charts', 'Second.'), version)
    expect([second.status, await second.json()]).toMatchObject([409, { error: { code: 'skill.changed' } }])
    expect((await put(skillText('charts', 'Second.'), 'x'.repeat(201))).status).toBe(400)

    // While one upload is still arriving, another one is saved.
    const sent = Promise.withResolvers<CheckedSkill>()
    const slow = server.areas.turns.skills.replace(owner.userId, {
      skillId: id,
      over: undefined,
      readSkill: () => sent.promise,
    })
    const refused = expect(slow).rejects.toMatchObject({ code: 'skill.changed' })
    await put(skillText('charts', 'Third.'), now.version)
    const text = skillText('charts', 'Slow.')
    const files = [{ path: 'SKILL.md', content: Buffer.from(text), isExecutable: false }]
    sent.resolve({ name: 'charts', description: 'Slow.', license: null, compatibility: null, text, files })
    await refused
    expect((await request<SkillContent>('GET', `/skills/${id}`)).text).toContain('Third.')
    expect(await readdir(join(server.directory, 'blobs/skills', id))).toHaveLength(1)
  })

  test('G6: a skill whose content is lost can be replaced', async () => {
    const { id } = await add('charts')
    await rm(join(server.directory, 'blobs/skills', id), { recursive: true })
    expect((await call('GET', `/skills/${id}`)).status).toBe(409)
    expect((await send('PUT', `/skills/${id}/content`, skillText('charts', 'Again.'))).status).toBe(200)
    expect((await request<SkillContent>('GET', `/skills/${id}`)).text).toContain('Again.')
  })

  test('G6: a skill can be read, replaced, moved, downloaded and deleted, with all of its stored content', async () => {
    const archive = makeZip([
      { name: 'tables/SKILL.md', content: skillText('tables') },
      { name: 'tables/scripts/run.sh', content: 'echo ok\n', mode: 0o100755 },
    ])
    const skill = (await (await send('POST', '/skills', archive, 'application/zip')).json()) as Skill
    expect(skill).toMatchObject({ name: 'tables', isText: false, fileCount: 2, workspaceId: null })
    expect(await request<SkillContent>('GET', `/skills/${skill.id}`)).toMatchObject({
      text: skillText('tables'),
      files: [
        { path: 'SKILL.md', isExecutable: false },
        { path: 'scripts/run.sh', isExecutable: true, sizeBytes: 8 },
      ],
    })
    const downloaded = await call('GET', `/skills/${skill.id}/archive`)
    expect(downloaded.headers.get('content-disposition')).toContain('tables.zip')
    const files = await readZip(new Uint8Array(await downloaded.arrayBuffer()))
    expect(files.map(({ path, isExecutable }) => [path, isExecutable])).toEqual([
      ['tables/SKILL.md', false],
      ['tables/scripts/run.sh', true],
    ])
    const edited = await send('PUT', `/skills/${skill.id}/content`, skillText('charts'))
    expect(await edited.json()).toMatchObject({ id: skill.id, name: 'charts', fileCount: 2 })
    const whole = makeZip([{ name: 'SKILL.md', content: skillText('plots') }])
    const replaced = await send('PUT', `/skills/${skill.id}/content`, whole, 'application/zip')
    expect(await replaced.json()).toMatchObject({ id: skill.id, name: 'plots', isText: true })
    expect(await readdir(join(server.directory, 'blobs/skills', skill.id))).toHaveLength(1)
    const { id: workspaceId } = await newWorkspace('Data')
    expect(await request('PATCH', `/skills/${skill.id}`, { workspaceId })).toMatchObject({ workspaceId })
    await request('DELETE', `/skills/${skill.id}`)
    expect(await codeOf('GET', `/skills/${skill.id}`)).toBe('skill.not-found')
    await vi.waitFor(async () => expect(await blobFolders()).toEqual([]), { timeout: 10_000 })
  })

  test('C12: deleting a workspace permanently deletes its skills; restoring it keeps them', async () => {
    const { id: workspaceId } = await newWorkspace('Data')
    const skill = await add('tables', { workspaceId })
    await request('DELETE', `/workspaces/${workspaceId}`)
    expect((await request<Skills>('GET', '/skills')).skills).toEqual([])
    await request('POST', `/workspaces/${workspaceId}/restore`)
    expect((await request<Skills>('GET', '/skills')).skills).toMatchObject([{ id: skill.id }])
    await request('DELETE', `/workspaces/${workspaceId}`)
    server.clock.now += 60_000
    // Planning an operation makes the server check all due operations.
    await request('DELETE', `/skills/${(await add('other')).id}`)
    await vi.waitFor(async () => expect(await blobFolders()).toEqual([]), { timeout: 20_000 })
    expect(await codeOf('GET', `/skills/${skill.id}`)).toBe('skill.not-found')
  })

  const awake = async (threadId: string) => {
    const { sandboxId } = await server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'api' })
    return sandboxId
  }
  const given = (sandboxId: string) => host.skills.given.get(sandboxId)?.skills.map(({ name }) => name)

  test('G6: a sandbox has its thread’s skills when it is awake, and content is sent to the host once', async () => {
    await add('tables')
    await add('mail')
    const [one, other] = [await awake((await newThread()).id), await awake((await newThread()).id)]
    expect([given(one), given(other)]).toEqual([
      ['mail', 'tables'],
      ['mail', 'tables'],
    ])
    expect(host.skills.orders.map(({ missing }) => missing)).toEqual([2, 0, 0])
    expect([...host.skills.packages.values()].map((files) => files.map(({ path }) => path))).toEqual([
      ['SKILL.md'],
      ['SKILL.md'],
    ])
    const { id: threadId } = await newThread()
    const orders = host.skills.orders.length
    await awake(threadId)
    await awake(threadId)
    expect(host.skills.orders).toHaveLength(orders + 1)
  })

  test('G6: a change reaches awake sandboxes immediately; one that sleeps gets it when it wakes', async () => {
    const skill = await add('tables')
    const [first, second] = [await newThread(), await newThread()]
    const [working, sleeping] = [await awake(first.id), await awake(second.id)]
    await request('POST', `/threads/${second.id}/sandbox/pause`)
    await add('mail')
    await vi.waitFor(() => expect(given(working)).toEqual(['mail', 'tables']))
    expect(given(sleeping)).toEqual(['tables'])
    await request('DELETE', `/skills/${skill.id}`)
    await vi.waitFor(() => expect(given(working)).toEqual(['mail']))
    await awake(second.id)
    expect(given(sleeping)).toEqual(['mail'])
  })

  test('C12: a thread that is moved has the skills of its new workspace', async () => {
    const { id: workspaceId } = await newWorkspace('Data')
    await add('tables', { workspaceId })
    const thread = await newThread()
    const sandboxId = await awake(thread.id)
    await request('PATCH', `/threads/${thread.id}`, { workspaceId })
    await vi.waitFor(() => expect(given(sandboxId)).toEqual(['tables']))
    await request('PATCH', `/threads/${thread.id}`, { workspaceId: null })
    await vi.waitFor(() => expect(given(sandboxId)).toEqual([]))
  })

  test('G6: a host that cannot accept skills does not block the sandbox; its next use tries again', async () => {
    await add('tables')
    host.fail('placeSkills', { code: 'sandbox.paused', kind: 'conflict' })
    const { id: threadId } = await newThread()
    const sandboxId = await awake(threadId)
    expect(given(sandboxId)).toBeUndefined()
    await awake(threadId)
    expect(given(sandboxId)).toEqual(['tables'])
  })

  test('G6: a sandbox without skills still gets the empty list, because a previous server may have delivered some', async () => {
    const sandboxId = await awake((await newThread()).id)
    await vi.waitFor(() => expect(given(sandboxId)).toEqual([]))
  })
})

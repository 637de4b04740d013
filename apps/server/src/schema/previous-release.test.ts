import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer, unpackPreviousRelease } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onBothDatabases } from '../platform/database/both-databases.test-utils.ts'

/** The server of the previous release and this one take turns on one database, as an upgrade and a way back do. */
const repository = join(import.meta.dirname, '../../../..')
const person = { name: 'Test owner', email: 'owner@example.org', password: 'correct horse battery staple' }
let folder: string
let previous: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'threadbox-previous-'))
  previous = join(folder, 'release')
  await mkdir(previous)
  await unpackPreviousRelease(previous)
  await symlink(join(repository, 'node_modules'), join(previous, 'node_modules'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

onBothDatabases((target) => {
  test('O12: each continues with all that the other has written', async () => {
    const { databaseUrl } = await target()
    const data = await mkdtemp(join(folder, 'data-'))
    const environment = {
      THREADBOX_INSTALLATION: 'prevr0',
      THREADBOX_DATA: data,
      THREADBOX_HOST_SOCKET: join(data, 'host.sock'),
      THREADBOX_GATEWAY_SOCKET: join(data, 'gateway.sock'),
      THREADBOX_WEB_DIRECTORY: data,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    }
    const host = { installation: 'prevr0', dataDirectory: data, environment }
    const server = await startTestServer({ host, signUp: false, programs: previous })
    const runSchema = (...args: string[]) => {
      const ran = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
        env: { ...environment, THREADBOX_SERVER_DATA: server.directory },
        encoding: 'utf8',
      })
      expect(ran.status, ran.stderr).toBe(0)
      return ran.stdout.split('\n').filter((name) => name !== '')
    }
    const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
      const response = await server.asOwner(`${server.loopbackOrigin}/api/v1${path}`, {
        method,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
      return (response.status === 204 ? undefined : await response.json()) as Answer
    }
    const titles = async () => {
      const { threads } = await call<{ threads: { title: string }[] }>('GET', '/threads?limit=100')
      return threads.map(({ title }) => title).sort()
    }
    const addThread = async (title: string, workspaceId: string | null) => {
      const { id } = await call<{ id: string }>('POST', '/threads', { title, workspaceId })
      await call('POST', `/threads/${id}/messages`, { text: '/help', key: `key-${title.replaceAll(' ', '-')}` })
    }
    const switchTo = async (programs: string | undefined) => {
      await server.kill('SIGTERM')
      if (programs === previous) {
        await writeFile(join(data, 'known'), known.join('\n'))
        expect(runSchema('set-aside', join(data, 'known')).length).toBeGreaterThan(0)
      }
      await server.restart({ programs })
    }

    await fetch(`${server.loopbackOrigin}/api/v1/auth/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.loopbackOrigin },
      body: JSON.stringify({ token: server.ownerToken.token, ...person }),
    })
    await addThread('Before', null)
    const { id: workspaceId } = await call<{ id: string }>('POST', '/workspaces', { name: 'Team' })
    await addThread('In the workspace', workspaceId)
    const known = runSchema('list')
    const tried = runSchema('try')
    expect(tried.length).toBeGreaterThan(0)
    expect(runSchema('list')).toEqual(known)
    expect((await readdir(server.directory)).filter((name) => name.startsWith('.upgrade-'))).toEqual([])

    await switchTo(undefined)
    expect(runSchema('list')).toEqual([...known, ...tried].sort())
    expect(await titles()).toEqual(['Before', 'In the workspace'])
    const invite = await call<{ path: string }>('POST', '/invites', { role: 'member', workspaceIds: [workspaceId] })
    const joined = await fetch(`${server.loopbackOrigin}/api/v1/auth/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.loopbackOrigin },
      body: JSON.stringify({
        secret: invite.path.split('#')[1],
        name: 'Ben',
        email: 'ben@example.org',
        password: person.password,
      }),
    })
    expect(joined.status).toBeLessThan(300)
    await addThread('After the upgrade', workspaceId)

    await switchTo(previous)
    expect(runSchema('list')).toEqual(known)
    expect(await titles()).toEqual(['After the upgrade', 'Before', 'In the workspace'])
    await addThread('Back again', workspaceId)
    await call('POST', '/workspaces', { name: 'Made by the previous release' })

    await switchTo(undefined)
    expect(await titles()).toEqual(['After the upgrade', 'Back again', 'Before', 'In the workspace'])
    const { people } = await call<{ people: { name: string; role: string }[] }>('GET', '/people')
    expect(people.map(({ name, role }) => `${name} ${role}`).sort()).toEqual(['Ben member', 'Test owner owner'])
    const { workspaces } = await call<{ workspaces: { name: string; memberCount: number; role: string }[] }>(
      'GET',
      '/workspaces',
    )
    expect(workspaces).toMatchObject([
      { name: 'Team', memberCount: 2, role: 'owner' },
      { name: 'Made by the previous release', memberCount: 1, role: 'owner' },
    ])
    await server.close()
    expect(existsSync(join(server.directory, 'server.db'))).toBe(databaseUrl === undefined)
  })
}, 'empty')

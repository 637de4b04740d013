import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Thread } from '@threadbox/protocol/public'
import { makeLogger } from '@threadbox/telemetry'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import type { OpenDatabase } from '../../platform/database/database.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const canary = 'Canary7f3a'
/** What others need to understand their own thread, and the log of what happened, in which no row can change. */
const kept = new Set(['audit_events'])

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  let cleo: TestPerson
  const failures: ((kind: string) => void)[] = []
  /** The kind of the next operation that fails. */
  const failure = () => new Promise<string>((resolve) => void failures.push(resolve))
  beforeEach(async () => {
    const write = (line: string) => {
      const { kind } = JSON.parse(line) as { kind?: string }
      for (const told of failures.splice(0)) told(kind ?? line)
    }
    const logger = makeLogger({ process: 'test', level: 'error', destination: { write } })
    server = await makeTestApplication({ ...(await target()), logger })
    owner = await server.signUpOwner()
    ben = await server.addPerson(`${canary}-name`)
    cleo = await server.addPerson('Cleo')
    await server.start()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  async function done(person: TestPerson, method: string, to: string, body?: unknown): Promise<{ id: string }> {
    await server.confirm(person)
    const response = await server.call(method, `/api/v1${to}`, { person, body })
    const answer = response.status === 204 ? {} : await response.json()
    expect([method, to, response.ok, response.ok ? '' : answer]).toEqual([method, to, true, ''])
    return answer as { id: string }
  }

  async function writeEverything(): Promise<void> {
    await done(owner, 'PATCH', `/people/${ben.userId}`, { role: 'admin' })
    const workspace = await done(ben, 'POST', '/workspaces', { name: `${canary} alone` })
    await done(ben, 'PATCH', `/workspaces/${workspace.id}`, { instructions: `${canary} instructions` })
    const place = { title: `${canary} title`, workspaceId: workspace.id }
    const thread = (await done(ben, 'POST', '/threads', place)) as Thread
    const base = { turnId: 'n1', at: 1 }
    await server.areas.threads.log.append(thread.id, [
      {
        type: 'entry-added',
        entry: {
          ...base,
          id: 'e1',
          kind: 'user-message',
          text: `${canary} message`,
          attachments: [],
          status: 'delivered',
        },
      },
      {
        type: 'entry-added',
        entry: { ...base, id: 'e2', kind: 'text', stepId: 's', text: `${canary} answer`, status: 'done' },
      },
    ])
    const uploaded = await server.call('PUT', `/api/v1/threads/${thread.id}/uploads?name=${canary}.txt`, {
      person: ben,
      headers: { 'content-type': 'application/octet-stream' },
      body: `${canary} attachment`,
    })
    expect(uploaded.status).toBe(201)
    const agent = await done(ben, 'POST', '/agents', {
      name: `${canary} agent`,
      instructions: `${canary} instructions`,
    })
    const trigger = { name: `${canary} daily`, cron: '0 8 * * *', timeZone: 'UTC', input: `${canary} input` }
    await done(ben, 'POST', `/agents/${agent.id}/schedules`, trigger)
    await done(ben, 'POST', `/agents/${agent.id}/webhooks`, { name: `${canary} hook`, input: `${canary} input` })
    await done(ben, 'POST', '/secrets', {
      name: canary.toUpperCase(),
      value: 'a-long-secret-value',
      hosts: ['a.example.com'],
    })
    const address = `https://${canary}.example.com`
    await done(ben, 'POST', '/git-credentials', {
      address,
      username: canary,
      token: 'a-long-token-value',
      access: 'read',
    })
    await done(ben, 'POST', '/connections', {
      name: `${canary} tools`,
      url: 'http://127.0.0.1:9/mcp',
      auth: { kind: 'none' },
    })
    await done(ben, 'POST', '/invites', { email: `${canary}@invited.example.com` })
    await done(ben, 'POST', '/quotas/requests', { quota: 'concurrentRuns', note: `${canary} note` })
    await done(ben, 'POST', '/api-keys', { name: `${canary} key`, expiresInDays: 1, scopes: ['read'] })
    await done(ben, 'PUT', `/threads/${thread.id}/presence`, { isTyping: true, isHere: true })
    await done(ben, 'POST', `/threads/${thread.id}/links`, { withFiles: false, expiresInSeconds: 3600 })
    const deleted = await done(ben, 'POST', '/threads', { title: `${canary} deleted` })
    await done(ben, 'DELETE', `/threads/${deleted.id}`)
  }

  test('C12: what an erased person wrote is in no table, no blob, and not in the search index', async () => {
    await writeEverything()
    expect((await placesOf(server)).length).toBeGreaterThan(10)
    await done(owner, 'PATCH', `/people/${ben.userId}`, { isDisabled: true })
    const erased = Promise.withResolvers<void>()
    server.areas.people.events.on('audited', ({ action }) => {
      if (action === 'person-erased') erased.resolve()
    })
    await done(owner, 'POST', `/people/${ben.userId}/erase`)
    await erased.promise
    await server.areas.platform.operations.stop()
    expect(await placesOf(server)).toEqual([])
    expect(await tablesIn(server.open).selectFrom('users').select('id').where('id', '=', ben.userId).execute()).toEqual(
      [],
    )
  })

  test('C12: an erasure that fails at any step continues from there, and leaves as little', async () => {
    await writeEverything()
    await done(owner, 'PATCH', `/people/${ben.userId}`, { isDisabled: true })
    const { operations } = server.areas.platform
    for (const [index, table] of ['agents', 'git_credentials', 'threads', 'secrets', 'users'].entries()) {
      await refuseDeletes(server.open, table)
      const failed = failure()
      if (index === 0) await done(owner, 'POST', `/people/${ben.userId}/erase`)
      server.clock.now += 3_600_000
      await operations.plan({ kind: 'erase-person', subjectId: ben.userId, dueAt: server.clock.now })
      expect([table, await failed]).toEqual([table, 'erase-person'])
      await allowDeletes(server.open, table)
    }
    const erased = Promise.withResolvers<void>()
    server.areas.people.events.on('audited', ({ action }) => {
      if (action === 'person-erased') erased.resolve()
    })
    server.clock.now += 3_600_000
    await operations.plan({ kind: 'erase-person', subjectId: ben.userId, dueAt: server.clock.now })
    await erased.promise
    await operations.stop()
    expect(await placesOf(server)).toEqual([])
    expect((await server.call('GET', '/api/v1/me', { person: cleo })).status).toBe(200)
  })
})

async function refuseDeletes({ database, kind }: OpenDatabase, table: string): Promise<void> {
  if (kind === 'sqlite') {
    await sql`create trigger refused before delete on ${sql.table(table)}
      begin select raise(abort, 'refused by the test'); end`.execute(database)
    return
  }
  await sql`create or replace function refused() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test'; end $$`.execute(database)
  await sql`create trigger refused before delete on ${sql.table(table)} execute function refused()`.execute(database)
}

async function allowDeletes({ database, kind }: OpenDatabase, table: string): Promise<void> {
  if (kind === 'sqlite') await sql`drop trigger refused`.execute(database)
  else await sql`drop trigger refused on ${sql.table(table)}`.execute(database)
}

/** Every place in which the canary is, as text. */
async function placesOf({ open, directory }: TestApplication): Promise<string[]> {
  const found: string[] = []
  for (const table of await tableNames(open)) {
    if (kept.has(table)) continue
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(open.database)
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) if (holds(value)) found.push(`${table}.${column}`)
    }
  }
  for (const entry of await readdir(path.join(directory, 'blobs'), { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const isDatabase = /\.sqlite|\.db/.test(entry.name)
    if (holds(file) || (entry.isFile() && !isDatabase && holds(await readFile(file)))) found.push(file)
  }
  return found
}

async function tableNames(open: OpenDatabase): Promise<string[]> {
  const tables = await open.database.introspection.getTables()
  // The full-text index of the embedded database keeps its words in tables of its own, which can be read like any.
  return tables.map(({ name }) => name).filter((name) => !/^search_index(_config)?$/.test(name))
}

function holds(value: unknown): boolean {
  if (value === null || value === undefined) return false
  const text =
    Buffer.isBuffer(value) || value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
  return text.toLowerCase().includes(canary.toLowerCase())
}

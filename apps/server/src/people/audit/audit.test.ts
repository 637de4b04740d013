import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeSystem } from '../../platform/system/system.ts'
import type { AuditTables } from './audit.table.ts'
import { type Audit, makeAudit } from './audit.ts'
import { makeAuditHeadFile } from './audit-head-file.ts'
import { verifyAudit } from './audit-verify.ts'
import { describeCheck } from './audit-words.logic.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let audit: Audit
  let directory: string
  const key = randomBytes(32)
  const system = makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) })
  const database = () => tablesOf<AuditTables>(server.open.database)
  const headFile = () => makeAuditHeadFile(join(directory, 'head'), key)
  const start = () => makeAudit({ database: database(), system, key, headFile: headFile() })
  beforeEach(async () => {
    server = await makeTestApplication({ ...(await target()) })
    directory = await mkdtemp(join(tmpdir(), 'threadbox-audit-'))
    audit = start()
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  async function recordSome(count: number): Promise<void> {
    for (let index = 1; index <= count; index += 1) {
      await audit.record({ userId: 'u1', action: 'did', subject: `s${index}`, details: { index } })
    }
    await audit.settled()
  }
  const check = () => verifyAudit({ database: database(), key, headFile: headFile() })
  const problems = async () => (await check()).problems.map(({ kind, from, to }) => `${kind} ${from} ${to}`)
  const change = (seq: number, values: Partial<AuditTables['audit_events']>) =>
    database().updateTable('audit_events').set(values).where('seq', '=', seq).execute()
  const remove = (seq: number) => database().deleteFrom('audit_events').where('seq', '=', seq).execute()
  const rowAt = (seq: number) =>
    database().selectFrom('audit_events').selectAll().where('seq', '=', seq).executeTakeFirstOrThrow()

  test('rows that nothing touched are unchanged, also those added at the same time', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => audit.record({ userId: null, action: 'did', subject: String(index) })),
    )
    await audit.settled()
    const found = await check()
    expect(found).toMatchObject({ rows: 21, olderRows: 0, problems: [] })
    expect(describeCheck(found)[0]).toBe('✓ 21 rows are unchanged.')
  })

  describe('verification locates', () => {
    beforeEach(() => recordSome(8))

    test.each([
      { action: 'did not' },
      { user_id: 'u2' },
      { json: '{"index":4}' },
      { at: 1 },
      { address: '192.0.2.1' },
      { actor_kind: 'person' },
      { hash: '0'.repeat(64) },
      { previous_hash: '0'.repeat(64) },
    ])('a row that was changed: %o', async (values) => {
      await change(4, values)
      expect(await problems()).toEqual(['changed 4 4'])
    })

    test('a removed row, in the middle and at the end', async () => {
      await remove(4)
      expect(await problems()).toEqual(['removed 4 4'])
      await remove(9)
      expect(await problems()).toEqual(['removed 4 4', 'removed 9 9'])
    })

    test('rows removed from the end together with the database’s record of the end', async () => {
      await remove(9)
      const { seq, hash } = await rowAt(8)
      await database()
        .updateTable('audit_head')
        .set({ seq: seq ?? 0, hash: hash ?? '' })
        .execute()
      expect(await problems()).toEqual(['removed 9 9'])
    })

    test('swapped rows', async () => {
      const [third, sixth] = [await rowAt(3), await rowAt(6)]
      await change(3, { seq: 100 })
      await change(6, { seq: 3 })
      await change(100, { seq: 6 })
      expect(await problems()).toEqual(['swapped 3 6'])
      expect([third.id, sixth.id]).toEqual([(await rowAt(6)).id, (await rowAt(3)).id])
    })

    test('an added row', async () => {
      const last = await rowAt(9)
      await database()
        .insertInto('audit_events')
        .values({ ...last, id: 'forged', seq: 10, previous_hash: last.hash, hash: 'f'.repeat(64) })
        .execute()
      expect(await problems()).toEqual(['added 10 10'])
    })

    test('an added row that pretends to be from before the chain', async () => {
      const last = await rowAt(9)
      const forged = { ...last, id: 'forged', seq: null, previous_hash: null, hash: null }
      await database().insertInto('audit_events').values(forged).execute()
      expect(await problems()).toEqual(['older-rows null null'])
    })

    test('a row that replaces another one, with a hash that fits to its neighbors', async () => {
      const { previous_hash, hash } = await rowAt(4)
      await change(4, { action: 'did not', previous_hash, hash })
      expect(await problems()).toEqual(['changed 4 4'])
    })

    test('a history that replaces the whole log', async () => {
      await database().deleteFrom('audit_events').execute()
      await database().updateTable('audit_head').set({ seq: 0, hash: '' }).execute()
      await audit.record({ userId: null, action: 'did', subject: null })
      expect(await problems()).toContain('removed 3 9')
    })

    test('a head file that was changed, or is gone', async () => {
      await writeFile(join(directory, 'head'), '{"seq":9,"hash":"x","mac":"y"}')
      expect(await problems()).toEqual(['head-file null null'])
      await rm(join(directory, 'head'))
      expect(await problems()).toEqual(['head-file null null'])
    })
  })

  test('rows from before the chain are counted and covered by its first row', async () => {
    const old = { user_id: null, action: 'did', subject: null, json: '{}' }
    for (const id of ['a', 'b']) {
      await sql`insert into audit_events (id, at, user_id, action, subject, json)
        values (${id}, 5, ${old.user_id}, ${old.action}, ${old.subject}, ${old.json})`.execute(database())
    }
    await recordSome(1)
    expect(await check()).toMatchObject({ olderRows: 2, problems: [] })
    await database().updateTable('audit_events').set({ action: 'did not' }).where('id', '=', 'b').execute()
    expect(await problems()).toEqual(['older-rows null null'])
  })

  test('rows are removed after 400 days, and what is left still verifies', async () => {
    let now = Date.now()
    const aging = makeAudit({
      database: database(),
      system: makeSystem({ now: () => now, randomBytes: (count) => randomBytes(count) }),
      key,
      headFile: headFile(),
    })
    const days = async (count: number) => {
      now += count * 24 * 3600 * 1000
      await aging.record({ userId: null, action: 'did', subject: null })
    }
    await days(0)
    await days(300)
    await days(101)
    await aging.settled()
    const events = await aging.list({ before: null, limit: 10 })
    expect(events.map(({ number }) => number).toSorted()).toEqual([3, 4, 5])
    const expired = events.find(({ action }) => action === 'audit-rows-expired')
    expect(expired).toMatchObject({ details: { rows: 2, upTo: 2 }, actor: { kind: 'system', id: null } })
    expect(await check()).toMatchObject({ rows: 3, problems: [] })
    await remove(3)
    expect(await problems()).toEqual(['removed 3 3'])
    await database().updateTable('audit_anchor').set({ seq: 3 }).execute()
    expect(await problems()).toContain('anchor 3 3')
  })

  test('rows that are added during a verification are not a problem', async () => {
    await recordSome(3)
    const adding = recordSome(30)
    for (let times = 0; times < 5; times += 1) expect(await problems()).toEqual([])
    await adding
  })

  test('a start after rows were removed from the end says so in a row of its own', async () => {
    await recordSome(3)
    await remove(4)
    const { seq, hash } = await rowAt(3)
    await database()
      .updateTable('audit_head')
      .set({ seq: seq ?? 0, hash: hash ?? '' })
      .execute()
    const restarted = start()
    await restarted.checkHeadFile()
    const events = await restarted.list({ before: null, limit: 10 })
    const found = events.find(({ action }) => action === 'audit-head-file-mismatch')
    expect(found).toMatchObject({ details: { headFileRow: 4, lastRow: 3 } })
  })
}, 'empty')

describe('a row names', () => {
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication()
    owner = await server.signUpOwner()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  /** The row of this action. Rows of one millisecond have no order in the list. */
  const rowOf = async (action: string) => {
    const { events } = (await (await server.call('GET', '/api/v1/audit', { person: owner })).json()) as {
      events: Record<string, unknown>[]
    }
    return events.find((event) => event.action === action)
  }

  test('the person, the address and the request that it belongs to, and what changed', async () => {
    const response = await server.call('PATCH', '/api/v1/settings', {
      person: owner,
      body: { settings: { sandboxCpus: 1 } },
    })
    expect(await rowOf('setting-changed')).toMatchObject({
      actor: { kind: 'person', id: owner.userId },
      requestId: response.headers.get('threadbox-request-id'),
      before: { value: 2 },
      after: { value: 1 },
    })
    expect((await rowOf('setting-changed'))?.address).toEqual(expect.any(String))
  })

  test('a visitor, for a sign-in that was refused', async () => {
    await server.call('POST', '/api/v1/auth/sign-in', { body: { email: 'x@example.com', password: 'not the one' } })
    expect(await rowOf('login-refused')).toMatchObject({
      userId: null,
      actor: { kind: 'visitor', id: null },
    })
  })

  test('the person who signs in', async () => {
    expect(await rowOf('owner-signed-up')).toMatchObject({ actor: { kind: 'person', id: owner.userId } })
  })

  test('its place at the end of the chain, also in the file beside the database', async () => {
    await server.areas.people.audit.settled()
    const file = JSON.parse(await readFile(join(server.directory, 'audit.head'), 'utf8')) as {
      seq: number
      hash: string
    }
    expect(await rowOf('owner-signed-up')).toMatchObject({ number: file.seq, hash: file.hash })
  })
})

import type { AuditEvent } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'
import { actingRequest } from './acting-request.ts'
import type { AuditRow, AuditTables } from './audit.table.ts'
import { type ChainPoint, hashOf, makeOlderDigest, pointMacOf } from './audit-chain.logic.ts'
import type { AuditHeadFile } from './audit-head-file.ts'
import { olderRows } from './audit-rows.ts'

export type AuditValues = AuditEvent['details']
export type AuditActor = AuditEvent['actor'] & object

export type AuditRecord = {
  /** The person who did it or for whom it was done. */
  userId: string | null
  action: string
  subject: string | null
  details?: AuditValues
  /** What the action changed, in plain values. Never a secret: say `apiKeyChanged: true`. */
  before?: AuditValues
  after?: AuditValues
  /** Replaces what is known from the request that is being served. */
  actor?: AuditActor
}

/** The audit log: a chain of rows in which a change, a removal or an addition is found by `verifyAudit`. */
export type Audit = {
  /**
   * Adds a row within the running transaction, after the change that it describes: the row’s lock is held until the
   * commit.
   */
  record(event: AuditRecord): Promise<void>
  /** Makes a change and its rows one transaction. Do nothing slow in it: other writers wait. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** Newest first. */
  list(page: { before: { at: number; id: string } | null; limit: number }): Promise<AuditEvent[]>
  /** States in a row of its own if the head file doesn’t match the database, before a later row hides it. */
  checkHeadFile(): Promise<void>
  /** Removes rows from before `before` (milliseconds since epoch), and keeps an anchor. Returns their number. */
  prune(before: number): Promise<number>
  /** Returns when the head file is written. */
  settled(): Promise<void>
}

export type AuditOptions = {
  open: Pick<OpenDatabase, 'database' | 'transaction' | 'afterCommit'>
  system: System
  /** Derived from the master key, so that nobody with access to the database alone can compute a row’s hash. */
  key: Uint8Array
  /** Returns the current name of an actor. */
  nameOf: (actor: { userId: string; apiKeyId: string | null }) => Promise<string | null>
  headFile: AuditHeadFile | null
}

export function makeAudit(options: AuditOptions): Audit {
  const { open, headFile } = options
  const database = tablesOf<AuditTables>(open.database)
  return {
    record: (event) =>
      open.transaction(async () => {
        const actor = event.actor ?? (await actorOf(options, event))
        await append({ ...options, database }, { ...event, actor })
      }),
    transaction: (work) => open.transaction(work),
    list: (page) => list(database, page),
    checkHeadFile: () => checkHeadFile({ ...options, database }),
    prune: (before) => open.transaction(() => prune({ ...options, database }, before)),
    settled: async () => await headFile?.settled(),
  }
}

type Chain = AuditOptions & { database: Kysely<AuditTables> }
type Attributed = AuditRecord & { actor: AuditActor }

const systemActor: AuditActor = { kind: 'system', id: null, name: null }

async function actorOf(options: AuditOptions, event: AuditRecord): Promise<AuditActor> {
  const request = actingRequest()
  if (request === undefined) return systemActor
  const { caller } = request
  if (caller !== null) {
    const name = await options.nameOf(caller)
    return caller.apiKeyId === null
      ? { kind: 'person', id: caller.userId, name }
      : { kind: 'api-key', id: caller.apiKeyId, name }
  }
  // Signing in and up: the request has no credential yet, and its subject is who sends it.
  if (event.userId !== null && event.userId === event.subject) {
    const name = await options.nameOf({ userId: event.userId, apiKeyId: null })
    return { kind: 'person', id: event.userId, name }
  }
  return { kind: 'visitor', id: null, name: null }
}

async function append(chain: Chain, event: Attributed): Promise<void> {
  let previous = await nextPlace(chain)
  if (previous.seq === 0) {
    const digest = makeOlderDigest()
    for await (const row of olderRows(chain.database)) digest.add(row)
    const { count, sha256 } = digest.result()
    const details = { olderRows: count, olderSha256: sha256 }
    const first = { userId: null, action: 'audit-log-started', subject: null, details, actor: systemActor }
    await insert(chain, { event: first, previous })
    previous = await nextPlace(chain)
  }
  await insert(chain, { event, previous })
}

/** Takes the next place in the chain, which locks the head until the transaction ends. Returns the end so far. */
async function nextPlace({ database }: Chain): Promise<ChainPoint> {
  const taken = await database
    .updateTable('audit_head')
    .set((builder) => ({ seq: builder('seq', '+', 1) }))
    .where('id', '=', 1)
    .returning(['seq', 'hash'])
    .executeTakeFirst()
  if (taken !== undefined) return { seq: taken.seq - 1, hash: taken.hash }
  // Somebody has removed the head. The chain continues after its last row; verification compares the head file.
  const last = await database
    .selectFrom('audit_events')
    .select(['seq', 'hash'])
    .where('seq', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const end = { seq: last?.seq ?? 0, hash: last?.hash ?? '' }
  await database
    .insertInto('audit_head')
    .values({ id: 1, seq: end.seq + 1, hash: end.hash })
    .execute()
  return end
}

async function insert(chain: Chain, entry: { event: Attributed; previous: ChainPoint }): Promise<void> {
  const { database, system, headFile, open } = chain
  const { event, previous } = entry
  const request = actingRequest()
  const row = {
    id: system.newId('operation'),
    at: system.now(),
    user_id: event.userId,
    action: event.action,
    subject: event.subject,
    json: JSON.stringify(event.details ?? {}),
    actor_kind: event.actor.kind,
    actor_id: event.actor.id,
    actor_name: event.actor.name,
    address: request?.address ?? null,
    request_id: request?.requestId ?? null,
    before_json: event.before === undefined ? null : JSON.stringify(event.before),
    after_json: event.after === undefined ? null : JSON.stringify(event.after),
    seq: previous.seq + 1,
    previous_hash: previous.hash,
  }
  const hash = hashOf(row, chain.key)
  await database
    .insertInto('audit_events')
    .values({ ...row, hash })
    .execute()
  await database.updateTable('audit_head').set({ hash }).where('id', '=', 1).execute()
  open.afterCommit(() => headFile?.write({ seq: row.seq, hash }))
}

async function checkHeadFile(chain: Chain): Promise<void> {
  if (chain.headFile === null) return
  const file = await chain.headFile.read()
  await chain.open.transaction(async () => {
    const head = await chain.database.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst()
    const end = head?.seq ?? 0
    if (file === 'missing' ? end === 0 : file !== 'invalid' && (await contains(chain.database, file))) return
    const details =
      typeof file === 'string' ? { headFile: file, lastRow: end } : { headFile: 'different', seq: file.seq, lastRow: end }
    const event = { userId: null, action: 'audit-head-file-mismatch', subject: null, details, actor: systemActor }
    await append(chain, event)
  })
}

async function contains(database: Kysely<AuditTables>, point: ChainPoint): Promise<boolean> {
  const anchor = await database.selectFrom('audit_anchor').selectAll().executeTakeFirst()
  if (anchor !== undefined && point.seq <= anchor.seq) return point.seq < anchor.seq || point.hash === anchor.hash
  const row = await database.selectFrom('audit_events').select('hash').where('seq', '=', point.seq).executeTakeFirst()
  return point.seq === 0 || row?.hash === point.hash
}

async function prune(chain: Chain, before: number): Promise<number> {
  const { database } = chain
  const kept = await database
    .selectFrom('audit_events')
    .select((builder) => builder.fn.min('seq').as('seq'))
    .where('at', '>=', before)
    .executeTakeFirst()
  const last = await database
    .selectFrom('audit_events')
    .select(['seq', 'hash'])
    .where('seq', 'is not', null)
    .$if(kept?.seq != null, (query) => query.where('seq', '<', kept?.seq ?? 0))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.seq == null || last.hash === null) return 0
  const point = { seq: last.seq, hash: last.hash }
  const values = { ...point, mac: pointMacOf('anchor', point, chain.key) }
  await database
    .insertInto('audit_anchor')
    .values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
  const { numDeletedRows } = await database
    .deleteFrom('audit_events')
    .where((builder) => builder.or([builder('seq', '<=', point.seq), builder('seq', 'is', null)]))
    .executeTakeFirstOrThrow()
  const details = { rows: Number(numDeletedRows), upTo: point.seq, before }
  await append(chain, { userId: null, action: 'audit-log-pruned', subject: null, details, actor: systemActor })
  return Number(numDeletedRows)
}

async function list(
  database: Kysely<AuditTables>,
  { before, limit }: Parameters<Audit['list']>[0],
): Promise<AuditEvent[]> {
  const rows = await database
    .selectFrom('audit_events')
    .selectAll()
    .$if(before !== null, (query) =>
      query.where((builder) =>
        builder.or([
          builder('at', '<', before?.at ?? 0),
          builder.and([builder('at', '=', before?.at ?? 0), builder('id', '<', before?.id ?? '')]),
        ]),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(presentAudit)
}

export function presentAudit(row: AuditRow): AuditEvent {
  const values = (json: string) => JSON.parse(json) as AuditValues
  const kind = row.actor_kind as AuditActor['kind'] | null
  return {
    id: row.id,
    at: row.at,
    userId: row.user_id,
    action: row.action,
    subject: row.subject,
    details: values(row.json),
    actor: kind === null ? null : { kind, id: row.actor_id, name: row.actor_name },
    address: row.address,
    requestId: row.request_id,
    before: row.before_json === null ? null : values(row.before_json),
    after: row.after_json === null ? null : values(row.after_json),
    seq: row.seq,
    hash: row.hash,
  }
}

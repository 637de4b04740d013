import type { AuditEvent } from '@threadbox/protocol/public'
import type { Kysely, Transaction } from 'kysely'
import { actingRequest } from '../../platform/http/acting-request.ts'
import type { System } from '../../platform/system/system.ts'
import type { AuditRow, AuditTables } from './audit.table.ts'
import { anchorMacOf, type ChainPoint, hashOf, makeOlderDigest } from './audit-chain.logic.ts'
import type { AuditHeadFile } from './audit-head-file.ts'
import { olderRows } from './audit-rows.ts'

export type AuditValues = AuditEvent['details']

export type AuditRecord = {
  /** The person who did it, or whose schedule, link or credential it was. */
  userId: string | null
  action: string
  subject: string | null
  details?: AuditValues
  /** What the action changed, in plain values. Never a secret. */
  before?: AuditValues
  after?: AuditValues
}

/** The audit log: a chain of rows in which `verifyAudit` finds a change, a removal or an addition. */
export type Audit = {
  /** Adds a row, with the sender and the address of the request that is being served. Not within a transaction. */
  record(event: AuditRecord): Promise<void>
  /** Newest first. */
  list(page: { before: { at: number; id: string } | null; limit: number }): Promise<AuditEvent[]>
  /** Adds a row if the head file doesn’t match the database, before later rows hide it. */
  checkHeadFile(): Promise<void>
  /** Returns when the head file is written. */
  settled(): Promise<void>
}

export type AuditOptions = {
  database: Kysely<AuditTables>
  system: System
  /** Derived from the master key: access to the database alone isn’t enough to compute a row’s hash. */
  key: Uint8Array
  headFile: AuditHeadFile | null
  onRecord?: (event: Pick<AuditRecord, 'action' | 'details'>) => void
}

/** A review once a year sees the whole year. */
const keptMs = 400 * 24 * 3600 * 1000
const pruneEveryMs = 24 * 3600 * 1000

type Actor = { kind: 'person' | 'api-key' | 'visitor' | 'system'; id: string | null }

const systemActor: Actor = { kind: 'system', id: null }

export function makeAudit(options: AuditOptions): Audit {
  const { database, headFile } = options
  let prunedAt = Number.NEGATIVE_INFINITY
  const add = async (event: AuditRecord, actor = actorOf(event)) => {
    const end = await database.transaction().execute((transaction) => append(transaction, options, { event, actor }))
    headFile?.write(end)
  }
  const record: Audit['record'] = async (event) => {
    await add(event)
    options.onRecord?.(event)
    const now = options.system.now()
    if (now - prunedAt < pruneEveryMs) return
    prunedAt = now
    const pruned = await database.transaction().execute((transaction) => prune(transaction, options.key, now - keptMs))
    if (pruned !== undefined) {
      await add({ userId: null, action: 'audit-rows-expired', subject: null, details: pruned }, systemActor)
    }
  }
  return {
    record,
    list: (page) => list(database, page),
    checkHeadFile: async () => {
      const details = await mismatchOf(options)
      if (details !== undefined) {
        await record({ userId: null, action: 'audit-head-file-mismatch', subject: null, details })
      }
    },
    settled: async () => await headFile?.settled(),
  }
}

function actorOf(event: AuditRecord): Actor {
  const request = actingRequest()
  if (request === undefined) return systemActor
  const { caller } = request
  if (caller !== null) {
    return caller.apiKeyId === null ? { kind: 'person', id: caller.userId } : { kind: 'api-key', id: caller.apiKeyId }
  }
  // Signing in and up: the request has no credential yet, and its subject is who sends it.
  const isOwn = event.userId !== null && event.userId === event.subject
  return isOwn ? { kind: 'person', id: event.userId } : { kind: 'visitor', id: null }
}

/** Returns the new end of the chain. */
async function append(
  transaction: Transaction<AuditTables>,
  options: AuditOptions,
  entry: { event: AuditRecord; actor: Actor },
): Promise<ChainPoint> {
  let end = await nextPlace(transaction)
  if (end.seq === 0) {
    const digest = makeOlderDigest()
    for await (const row of olderRows(transaction)) digest.add(row)
    const { count, sha256 } = digest.result()
    const first = { userId: null, action: 'audit-log-started', subject: null }
    const details = { olderRows: count, olderSha256: sha256 }
    await insert(transaction, options, { event: { ...first, details }, actor: systemActor, end })
    end = await nextPlace(transaction)
  }
  return await insert(transaction, options, { ...entry, end })
}

/** Takes the next place in the chain, which locks the head until the transaction ends. Returns the end so far. */
async function nextPlace(transaction: Transaction<AuditTables>): Promise<ChainPoint> {
  const taken = await transaction
    .updateTable('audit_head')
    .set((builder) => ({ seq: builder('seq', '+', 1) }))
    .where('id', '=', 1)
    .returning(['seq', 'hash'])
    .executeTakeFirst()
  if (taken !== undefined) return { seq: taken.seq - 1, hash: taken.hash }
  // The head was removed. The chain continues after its last row; verification compares the head file.
  const last = await transaction
    .selectFrom('audit_events')
    .select(['seq', 'hash'])
    .where('seq', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const end = { seq: last?.seq ?? 0, hash: last?.hash ?? '' }
  await transaction
    .insertInto('audit_head')
    .values({ id: 1, seq: end.seq + 1, hash: end.hash })
    .execute()
  return end
}

async function insert(
  transaction: Transaction<AuditTables>,
  { system, key }: AuditOptions,
  entry: { event: AuditRecord; actor: Actor; end: ChainPoint },
): Promise<ChainPoint> {
  const { event, actor, end } = entry
  const request = actor.kind === 'system' ? undefined : actingRequest()
  const row = {
    id: system.newId('operation'),
    at: system.now(),
    user_id: event.userId,
    action: event.action,
    subject: event.subject,
    json: JSON.stringify(event.details ?? {}),
    actor_kind: actor.kind,
    actor_id: actor.id,
    address: request?.address ?? null,
    request_id: request?.requestId ?? null,
    before_json: event.before === undefined ? null : JSON.stringify(event.before),
    after_json: event.after === undefined ? null : JSON.stringify(event.after),
    seq: end.seq + 1,
    previous_hash: end.hash,
  }
  const hash = hashOf(row, key)
  await transaction
    .insertInto('audit_events')
    .values({ ...row, hash })
    .execute()
  await transaction.updateTable('audit_head').set({ hash }).where('id', '=', 1).execute()
  return { seq: row.seq, hash }
}

/** Removes rows from before `before` and keeps the end of what it removed. Returns what the log says about it. */
async function prune(
  transaction: Transaction<AuditTables>,
  key: Uint8Array,
  before: number,
): Promise<AuditValues | undefined> {
  const chained = transaction.selectFrom('audit_events').where('seq', 'is not', null)
  const kept = await chained
    .select((builder) => builder.fn.min('seq').as('seq'))
    .where('at', '>=', before)
    .executeTakeFirst()
  const last = await chained
    .select(['seq', 'hash'])
    .$if(kept?.seq != null, (query) => query.where('seq', '<', kept?.seq ?? 0))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.seq == null || last.hash === null) return undefined
  const point = { seq: last.seq, hash: last.hash }
  const values = { ...point, mac: anchorMacOf(point, key) }
  await transaction
    .insertInto('audit_anchor')
    .values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
  const { numDeletedRows } = await transaction
    .deleteFrom('audit_events')
    .where((builder) => builder.or([builder('seq', '<=', point.seq), builder('seq', 'is', null)]))
    .executeTakeFirstOrThrow()
  return { rows: Number(numDeletedRows), upTo: point.seq }
}

/** How the head file differs from the database, if it does. It can be behind: it is written after each commit. */
async function mismatchOf({ database, headFile }: AuditOptions): Promise<AuditValues | undefined> {
  const file = (await headFile?.read()) ?? null
  if (file === null) return undefined
  const head = await database.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst()
  const lastRow = head?.seq ?? 0
  if (typeof file === 'string') return file === 'missing' && lastRow === 0 ? undefined : { headFile: file, lastRow }
  const row = await database.selectFrom('audit_events').select('hash').where('seq', '=', file.seq).executeTakeFirst()
  const anchor = await database.selectFrom('audit_anchor').select('seq').executeTakeFirst()
  const isKnown = file.seq <= (anchor?.seq ?? 0) || row?.hash === file.hash
  return isKnown ? undefined : { headFile: 'different', headFileRow: file.seq, lastRow }
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
  const kind = row.actor_kind as Actor['kind'] | null
  return {
    id: row.id,
    at: row.at,
    userId: row.user_id,
    action: row.action,
    subject: row.subject,
    details: values(row.json),
    actor: kind === null ? null : { kind, id: row.actor_id },
    address: row.address,
    requestId: row.request_id,
    before: row.before_json === null ? null : values(row.before_json),
    after: row.after_json === null ? null : values(row.after_json),
    number: row.seq,
    hash: row.hash,
  }
}

import type { Kysely } from 'kysely'
import type { AuditRow, AuditTables } from './audit.table.ts'
import { type ChainedRow, type ChainPoint, isIntact, isIntactAnchor, makeOlderDigest } from './audit-chain.logic.ts'
import type { AuditHeadFile } from './audit-head-file.ts'
import { chainRows, olderRows } from './audit-rows.ts'

export const auditProblemKinds = [
  /** The row was changed, or added in place of another one. */
  'changed',
  'added',
  'removed',
  /** The rows `from` and `to` have each other’s place. */
  'swapped',
  /** Intact rows of two histories meet after `from`, as when a backup was restored and rows were copied into it. */
  'spliced',
  /** Rows from before the chain don’t match the number and digest in its first row. */
  'older-rows',
  'anchor',
  'head',
  'head-file',
] as const

/** Rows `from` to `to` by number. `id` is the row’s, if it is one row that exists. */
export type AuditProblem = {
  kind: (typeof auditProblemKinds)[number]
  from: number | null
  to: number | null
  id: string | null
}
export type AuditCheck = {
  rows: number
  olderRows: number
  /** The last row. Keep it elsewhere to show later that nothing before it has changed. */
  head: ChainPoint
  problems: AuditProblem[]
}

/** A pairwise search for swapped rows stops making sense, and costs time, if this many rows don’t match. */
const maxSwapCandidates = 200

/** Checks every row. Can run beside a server that writes. */
export async function verifyAudit(options: {
  database: Kysely<AuditTables>
  key: Uint8Array
  headFile: AuditHeadFile | null
}): Promise<AuditCheck> {
  const { database, key } = options
  const file = (await options.headFile?.read()) ?? null
  const headBefore = await headOf(database)
  const anchor = await database.selectFrom('audit_anchor').selectAll().executeTakeFirst()
  const problems: AuditProblem[] = []
  if (anchor !== undefined && !isIntactAnchor(anchor, key)) problems.push(pointProblem('anchor', anchor.seq))
  const start = anchor ?? { seq: 0, hash: '' }
  const walk = makeWalk({ start, key, watched: [headBefore, pointIn(file)] })
  for await (const row of chainRows(database)) walk.add(row)
  const older = makeOlderDigest()
  for await (const row of olderRows(database)) older.add(row)

  const head = await headOf(database)
  problems.push(...walk.problems({ before: headBefore?.seq ?? 0, after: head?.seq ?? 0 }))
  problems.push(...checkOlder({ first: walk.first(), older: older.result(), isPruned: anchor !== undefined }))
  const isBeyond = headBefore !== undefined && headBefore.seq > walk.last().seq
  const isKnown = headBefore !== undefined && walk.has(headBefore)
  // Rows that are missing at the end are a problem of their own.
  if (!isBeyond && !isKnown) problems.push(pointProblem('head', headBefore?.seq ?? null))
  if (file !== null && !(isBeyond && typeof file !== 'string' && file.seq <= headBefore.seq)) {
    problems.push(...checkFile(file, { start, end: walk.last(), has: walk.has }))
  }
  return { rows: walk.count(), olderRows: older.result().count, head: walk.last(), problems }
}

const pointProblem = (kind: AuditProblem['kind'], seq: number | null): AuditProblem => ({
  kind,
  from: seq,
  to: seq,
  id: null,
})

const headOf = async (database: Kysely<AuditTables>): Promise<ChainPoint | undefined> =>
  await database.selectFrom('audit_head').select(['seq', 'hash']).where('id', '=', 1).executeTakeFirst()

type FileState = Awaited<ReturnType<AuditHeadFile['read']>>
const pointIn = (file: FileState | null): ChainPoint | undefined =>
  file === null || typeof file === 'string' ? undefined : file

/** Follows the rows in their order. Keeps only what doesn’t match. */
function makeWalk(options: { start: ChainPoint; key: Uint8Array; watched: readonly (ChainPoint | undefined)[] }) {
  const { start, key } = options
  const found = new Set<ChainPoint>()
  const problems: AuditProblem[] = []
  const broken: ChainedRow[] = []
  const repeated: AuditProblem[] = []
  let last: ChainPoint = start
  /** Whether the hash of `last` can be compared with what the next row says about it. */
  let isLastIntact = true
  let count = 0
  let first: AuditRow | undefined
  const add = (stored: AuditRow) => {
    const row = chained(stored)
    count += 1
    first ??= stored
    for (const point of options.watched) if (point?.seq === row.seq && point.hash === row.hash) found.add(point)
    if (row.seq <= last.seq) {
      repeated.push({ kind: 'added', from: row.seq, to: row.seq, id: row.id })
      return
    }
    const isGap = row.seq > last.seq + 1
    if (isGap) problems.push({ kind: 'removed', from: last.seq + 1, to: row.seq - 1, id: null })
    const intact = isIntact(row, key)
    if (!intact) broken.push(row)
    else if (!isGap && isLastIntact && row.previous_hash !== last.hash) {
      problems.push({ kind: 'spliced', from: last.seq, to: row.seq, id: row.id })
    }
    last = { seq: row.seq, hash: row.hash }
    isLastIntact = intact
  }
  return {
    add,
    first: () => first,
    last: () => last,
    count: () => count,
    has: (point: ChainPoint) => (point.seq === start.seq && point.hash === start.hash) || found.has(point),
    /** The numbers of the head before and after the walk: rows can be added during it. */
    problems: (head: { before: number; after: number }): AuditProblem[] => {
      const missing: AuditProblem[] =
        last.seq < head.before ? [{ kind: 'removed', from: last.seq + 1, to: head.before, id: null }] : []
      return [...problems, ...repeated, ...classify({ broken, key, end: head.after }), ...missing]
    },
  }
}

/** A row with a column of the chain set to null is not intact, and has no other place. */
function chained(row: AuditRow): ChainedRow {
  return { ...row, seq: row.seq ?? 0, previous_hash: row.previous_hash ?? '', hash: row.hash ?? '' }
}

function classify(state: { broken: readonly ChainedRow[]; key: Uint8Array; end: number }): AuditProblem[] {
  const { broken, key, end } = state
  const swapped = new Set<ChainedRow>()
  const problems: AuditProblem[] = []
  const candidates = broken.length <= maxSwapCandidates ? broken : []
  for (const [index, one] of candidates.entries()) {
    const other = candidates.slice(index + 1).find((candidate) => areSwapped(one, candidate, key))
    if (other === undefined || swapped.has(one) || swapped.has(other)) continue
    swapped.add(one).add(other)
    problems.push({ kind: 'swapped', from: one.seq, to: other.seq, id: one.id })
  }
  for (const row of broken) {
    if (swapped.has(row)) continue
    problems.push({ kind: row.seq > end ? 'added' : 'changed', from: row.seq, to: row.seq, id: row.id })
  }
  return problems
}

/** Either their numbers were exchanged, or everything except for their place in the chain. */
function areSwapped(one: ChainedRow, other: ChainedRow, key: Uint8Array): boolean {
  const withNumberOf = (row: ChainedRow, { seq }: ChainedRow) => ({ ...row, seq })
  const withPlaceOf = (row: ChainedRow, { seq, previous_hash, hash }: ChainedRow) => ({
    ...row,
    seq,
    previous_hash,
    hash,
  })
  return [withNumberOf, withPlaceOf].some(
    (place) => isIntact(place(one, other), key) && isIntact(place(other, one), key),
  )
}

function checkOlder(state: {
  first: AuditRow | undefined
  older: { count: number; sha256: string }
  isPruned: boolean
}): AuditProblem[] {
  const { first, older, isPruned } = state
  const problem = [pointProblem('older-rows', null)]
  if (isPruned) return older.count === 0 ? [] : problem
  if (first === undefined) return []
  const stated = first.action === 'audit-log-started' ? statedIn(first.json) : undefined
  return stated?.olderRows === older.count && stated.olderSha256 === older.sha256 ? [] : problem
}

function statedIn(json: string): { olderRows?: unknown; olderSha256?: unknown } | undefined {
  try {
    return JSON.parse(json) as { olderRows?: unknown; olderSha256?: unknown }
  } catch {
    return undefined
  }
}

function checkFile(
  file: FileState,
  known: { start: ChainPoint; end: ChainPoint; has: (point: ChainPoint) => boolean },
): AuditProblem[] {
  if (file === 'missing') return known.end.seq === 0 ? [] : [pointProblem('head-file', null)]
  if (file === 'invalid') return [pointProblem('head-file', null)]
  // A file from before the removal of old rows can be behind their end.
  if (known.has(file) || file.seq < known.start.seq) return []
  if (file.seq > known.end.seq) return [{ kind: 'removed', from: known.end.seq + 1, to: file.seq, id: null }]
  return [pointProblem('head-file', file.seq)]
}

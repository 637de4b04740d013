import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from '../../platform/secrets/is-same-secret.ts'
import type { AuditRow } from './audit.table.ts'

/** A row of the chain. */
export type ChainedRow = AuditRow & { seq: number; previous_hash: string; hash: string }
/** A row and its hash stand for all rows before it. */
export type ChainPoint = { seq: number; hash: string }

const version = 1

/** The hash of a row: HMAC-SHA-256 in hexadecimal over its place in the chain and all columns as stored. */
export function hashOf(row: Omit<ChainedRow, 'hash'>, key: Uint8Array): string {
  return macOf(key, ['row', version, row.seq, row.previous_hash, ...contentOf(row)])
}

export function isIntact(row: ChainedRow, key: Uint8Array): boolean {
  return isSameSecret(row.hash, hashOf(row, key))
}

/** The MAC of a point that is stored in the head file. */
export function pointMacOf(point: ChainPoint, key: Uint8Array): string {
  return macOf(key, ['head', version, point.seq, point.hash])
}

export function isIntactPoint(point: ChainPoint & { mac: string }, key: Uint8Array): boolean {
  return isSameSecret(point.mac, pointMacOf(point, key))
}

/** The MAC of the last row that was removed for its age, which stays in the database. */
export function anchorMacOf(point: ChainPoint, key: Uint8Array): string {
  return macOf(key, ['anchor', version, point.seq, point.hash])
}

export function isIntactAnchor(point: ChainPoint & { mac: string }, key: Uint8Array): boolean {
  return isSameSecret(point.mac, anchorMacOf(point, key))
}

/** Collects the digest of the rows from before the chain, in the order of `at` and `id`. */
export function makeOlderDigest(): { add(row: AuditRow): void; result(): { count: number; sha256: string } } {
  const hash = createHash('sha256')
  let count = 0
  return {
    add: (row) => {
      count += 1
      hash.update(`${JSON.stringify(contentOf(row))}\n`)
    },
    result: () => ({ count, sha256: hash.copy().digest('hex') }),
  }
}

const contentOf = (row: Omit<ChainedRow, 'hash'> | AuditRow) => [
  row.id,
  row.at,
  row.user_id,
  row.action,
  row.subject,
  row.json,
  row.actor_kind,
  row.actor_id,
  row.address,
  row.request_id,
  row.before_json,
  row.after_json,
]

function macOf(key: Uint8Array, content: readonly unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(content)).digest('hex')
}

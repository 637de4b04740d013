import { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import { cursorInvalid } from '../threads/threads.errors.ts'
import type { RunCursor } from './runs.store.ts'
import type { RunRow } from './runs.table.ts'

const cursorSchema = z.tuple([z.number().int(), z.string().max(64)])

/** Where a page of runs ended. */
export function runCursorOf(row: RunRow): string {
  return Buffer.from(JSON.stringify([row.created_at, row.id])).toString('base64url')
}

/** Throws `request.cursor-invalid`. */
export function parseRunCursor(cursor: string): RunCursor {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (!parsed.success) throw cursorInvalid({})
  const [at, id] = parsed.data
  return { at, id }
}

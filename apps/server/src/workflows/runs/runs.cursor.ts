import { z } from 'zod'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import type { RunCursor } from './runs.store.ts'
import type { RunRow } from './runs.table.ts'

const cursorSchema = z.tuple([z.number().int(), z.string().max(64)])

/** The cursor for the end of a page of runs. */
export function runCursorOf(row: RunRow): string {
  return encodeCursor([row.created_at, row.id])
}

/** Throws `request.cursor-invalid`. */
export function parseRunCursor(cursor: string): RunCursor {
  const [at, id] = decodeCursor(cursorSchema, cursor)
  return { at, id }
}

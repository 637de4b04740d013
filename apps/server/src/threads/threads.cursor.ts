import { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import { cursorInvalid } from './threads.errors.ts'
import type { ThreadCursor } from './threads.store.ts'
import type { ThreadRow } from './threads.table.ts'

const cursorSchema = z.tuple([z.union([z.literal(0), z.literal(1)]), z.number().int(), z.string().max(64)])

/** Where a page of the list ended, so that the next one goes on there whatever changed above it. */
export function cursorOf(row: ThreadRow): string {
  return Buffer.from(JSON.stringify([row.is_pinned, row.updated_at, row.id])).toString('base64url')
}

export function parseCursor(cursor: string): ThreadCursor {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (!parsed.success) throw cursorInvalid({})
  const [isPinned, updatedAt, id] = parsed.data
  return { isPinned, updatedAt, id }
}

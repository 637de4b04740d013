import { z } from 'zod'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import type { ThreadCursor } from '../log/thread-views.store.ts'
import type { ThreadRow } from '../log/threads.table.ts'

const cursorSchema = z.tuple([z.union([z.literal(0), z.literal(1)]), z.number().int(), z.string().max(64)])

/** The position where a page of the list ended. */
export function cursorOf(row: ThreadRow): string {
  return encodeCursor([row.is_pinned, row.updated_at, row.id])
}

export function parseCursor(cursor: string): ThreadCursor {
  const [isPinned, updatedAt, id] = decodeCursor(cursorSchema, cursor)
  return { isPinned, updatedAt, id }
}

import type { z } from 'zod'
import { parseJson } from '../system/parse-json.ts'
import { cursorInvalid } from './http.errors.ts'

/** The position where a page of a list ended, so that the next page continues there whatever changed above. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** Throws `request.cursor-invalid`. */
export function decodeCursor<Values>(schema: z.ZodType<Values>, cursor: string): Values {
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (!parsed.success) throw cursorInvalid({})
  return parsed.data
}

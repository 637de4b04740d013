import { z } from 'zod'
import { type Answer, jsonResponse, parseJson, read } from './contract-call.ts'

/** A file on the disk of a sleeping sandbox. Links are listed and never followed. */
export const sleepingEntrySchema = z.object({
  name: z.string(),
  path: z.string(),
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  sizeBytes: z.number().int().min(0),
  modifiedSeconds: z.number().int(),
  modifiedNanos: z.number().int(),
  mode: z.number().int(),
  linkTarget: z.string().nullable(),
})
export type SleepingEntry = z.infer<typeof sleepingEntrySchema>

/** Part of a folder, ordered by name; `next` is `after` of the next part. */
export const sleepingPageSchema = z.object({
  entries: z.array(sleepingEntrySchema),
  total: z.number().int(),
  next: z.string().nullable(),
})
export type SleepingPage = z.infer<typeof sleepingPageSchema>

/** Query parameters of a request to such a disk. A range includes its last byte. */
export const sleepingQuestionSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('list'),
    path: z.string().startsWith('/').max(4096),
    after: z.string().max(1000).default(''),
    limit: z.coerce.number().int().min(1).max(10_000).default(10_000),
  }),
  z.object({ kind: z.literal('entry'), path: z.string().startsWith('/').max(4096) }),
  z.object({
    kind: z.literal('content'),
    path: z.string().startsWith('/').max(4096),
    start: z.coerce.number().int().min(0).default(0),
    end: z.coerce.number().int().min(0).optional(),
  }),
  /** A folder as a zip; `only` is a JSON list of paths below it, and empty for everything. */
  z.object({
    kind: z.literal('archive'),
    path: z.string().startsWith('/').max(4096),
    only: z.string().max(8000).default('[]'),
  }),
])
export type SleepingQuestion = z.infer<typeof sleepingQuestionSchema>

/** Carries the entry of a file, as JSON in base64url, next to its bytes. */
export const sleepingEntryHeader = 'x-sleeping-entry'

/** A requested file that is a folder is returned as an entry, without bytes. */
export type SleepingAnswer =
  | { kind: 'list'; page: SleepingPage }
  | { kind: 'entry'; entry: SleepingEntry }
  | { kind: 'content' | 'archive'; entry: SleepingEntry; bytes: ReadableStream<Uint8Array> }

const archiveType = 'application/zip'
const pageOrEntrySchema = z.union([
  sleepingPageSchema.transform((page) => ({ kind: 'list' as const, page })),
  sleepingEntrySchema.transform((entry) => ({ kind: 'entry' as const, entry })),
])

export const sleepingAnswer: Answer<SleepingAnswer> = {
  toResponse: (answer) => {
    if (answer.kind === 'list') return jsonResponse(answer.page)
    if (answer.kind === 'entry') return jsonResponse(answer.entry)
    const headers = {
      'content-type': answer.kind === 'archive' ? archiveType : 'application/octet-stream',
      [sleepingEntryHeader]: Buffer.from(JSON.stringify(answer.entry)).toString('base64url'),
    }
    return new Response(answer.bytes, { status: 200, headers })
  },
  fromResponse: async (response) => {
    const header = response.headers.get(sleepingEntryHeader)
    if (header === null) return read(pageOrEntrySchema, await response.text())
    const entry = sleepingEntrySchema.parse(parseJson(Buffer.from(header, 'base64url').toString()))
    const kind = response.headers.get('content-type') === archiveType ? 'archive' : 'content'
    return { kind, entry, bytes: response.body ?? new Blob([]).stream() }
  },
}

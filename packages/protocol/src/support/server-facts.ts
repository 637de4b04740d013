import { z } from 'zod'

/** Words of our code: states, kinds, phases. Nothing that a person writes is in a field of this type. */
const word = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/)
const code = z.string().regex(/^[a-z][a-z0-9-]{0,39}\.[a-z0-9-]{1,60}$/)
const count = z.number().int().min(0)
const counts = z.record(word, count)

/** What only a running server knows. */
export const liveFactsSchema = z.object({
  /** In the text format of Prometheus. */
  metrics: z.string(),
  /** Failed responses by code, since the start. */
  errors: z.array(z.object({ code, count, lastAt: z.number() })),
})
export type LiveFacts = z.infer<typeof liveFactsSchema>

const databaseFactsSchema = z.object({
  kind: z.enum(['sqlite', 'postgres']),
  schema: z.object({
    applied: count,
    newest: z
      .string()
      .regex(/^\d{4}-[a-z0-9-]{1,60}$/)
      .nullable(),
    /** Of the release, not in the database. */
    missing: count,
    /** In the database, of another release. */
    unknown: count,
  }),
  totals: z.object({ people: count, threads: count, workspaces: count, models: count }),
  sandboxes: counts,
  turns: counts,
  runs: counts,
  operations: z.array(
    z.object({ kind: word, phase: word, count, oldestSeconds: z.number().min(0), mostAttempts: count }),
  ),
  /** Settings that were changed in the app: numbers and words of a closed list; `set` stands for any other text. */
  settings: z.record(z.string().regex(/^[a-zA-Z]{1,60}$/), z.union([z.number(), word])),
})

/** Why a part is missing: the code of an error, never its text. */
const absence = z
  .string()
  .regex(/^[A-Z0-9][A-Za-z0-9_]{1,40}$/)
  .catch('unknown')

/**
 * What the server and its database say of themselves for a support bundle. The schema is the list of what a bundle has of
 * them: other fields are dropped when it is parsed.
 */
export const serverFactsSchema = z.object({
  database: databaseFactsSchema.nullable(),
  live: liveFactsSchema.nullable(),
  missing: z.object({ database: z.null().or(absence), live: z.null().or(absence) }),
})
export type ServerFacts = z.infer<typeof serverFactsSchema>

import { createHmac } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { AttemptTables } from './attempts.table.ts'
import { tooManyAttempts } from './users.errors.ts'

/**
 * Slows down guessing: up to `limit` attempts per key in a window. Counts are in the database, so neither a restart nor
 * a second server gives a guesser more attempts.
 */
export type AttemptLimit = {
  /** Counts an attempt before it is made, so that concurrent ones can't pass together. Throws `auth.too-many-attempts`. */
  take(key: string, limit: number): Promise<Attempt>
  /** Takes one attempt back, because it succeeded; what others have counted stays. */
  giveBack(attempt: Attempt): Promise<void>
  /** Resets the key. */
  clear(key: string): Promise<void>
}
export type Attempt = { key: string; startedAt: number }

export type AttemptOptions = {
  database: Kysely<AttemptTables>
  /** Keys are stored as HMACs: people type passwords into the field for the email address. */
  secret: Buffer
  windowMs: number
  /** With more keys than this the least counted are removed, the oldest first, so a flood of names can't fill the disk. */
  maxKeys: number
  now: () => number
}

/** The table is pruned after this many attempts: it has at most this many rows more than `maxKeys`. */
export const pruneInterval = 100

export function makeAttemptLimit(options: AttemptOptions): AttemptLimit {
  const { database, windowMs, now } = options
  const hash = (key: string) => createHmac('sha256', options.secret).update(key).digest('base64url')
  let untilPrune = 0
  return {
    take: async (key, limit) => {
      if (untilPrune === 0) {
        untilPrune = pruneInterval
        await prune(options)
      }
      untilPrune -= 1
      const at = now()
      const { count, started_at: startedAt } = await countOne(database, { key: hash(key), at, windowMs })
      if (count > limit) throw tooManyAttempts({ retryAfterSeconds: Math.ceil((startedAt + windowMs - at) / 1000) })
      return { key, startedAt }
    },
    giveBack: async ({ key, startedAt }) => {
      await database
        .updateTable('attempt_counts')
        .set({ count: sql`count - 1` })
        .where('key', '=', hash(key))
        .where('started_at', '=', startedAt)
        .where('count', '>', 0)
        .execute()
    },
    clear: async (key) => {
      await database.deleteFrom('attempt_counts').where('key', '=', hash(key)).execute()
    },
  }
}

/** One statement, so that two servers can’t read the same count. A window that starts in the future is no longer valid. */
async function countOne(
  database: Kysely<AttemptTables>,
  { key, at, windowMs }: { key: string; at: number; windowMs: number },
): Promise<{ count: number; started_at: number }> {
  const goesOn = sql`attempt_counts.started_at > ${at - windowMs} and attempt_counts.started_at <= ${at}`
  return await database
    .insertInto('attempt_counts')
    .values({ key, started_at: at, count: 1 })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case when ${goesOn} then attempt_counts.count + 1 else 1 end`,
        started_at: sql`case when ${goesOn} then attempt_counts.started_at else ${sql.lit(at)} end`,
      }),
    )
    .returning(['count', 'started_at'])
    .executeTakeFirstOrThrow()
}

async function prune({ database, windowMs, maxKeys, now }: AttemptOptions): Promise<void> {
  await database
    .deleteFrom('attempt_counts')
    .where((builder) => builder.or([builder('started_at', '<=', now() - windowMs), builder('started_at', '>', now())]))
    .execute()
  // A guesser’s own keys are counted most: names that are not guessed go first.
  const kept = database
    .selectFrom('attempt_counts')
    .select('key')
    .orderBy('count', 'desc')
    .orderBy('started_at', 'desc')
    .limit(maxKeys)
  await database.deleteFrom('attempt_counts').where('key', 'not in', kept).execute()
}

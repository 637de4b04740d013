import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import { lockUntilEnd, withoutDiskWait } from '../../platform/database/database.ts'
import type { PriceVersionRow, UsageRow, UsageTables } from './usage.table.ts'

/** Rows from `from` up to, but not including, `to`; of one person, of one workspace, or all. */
export type UsageFilter = { from: number; to: number; userId?: string; workspaceId?: string }

/** `slot`: quarters of an hour, because offsets of time zones are multiples of it. */
export type UsageKey = 'slot' | 'user_id' | 'workspace_id' | 'thread_id' | 'model_id' | 'kind'

export const slotMs = 15 * 60_000

export type UsageSums = {
  /** Null: outside of workspaces. */
  key: string | number | null
  /** The newest name of the model. Only by model. */
  name: string | null
  requests: number
  inputTokens: number
  outputTokens: number
  cachedInputTokens: number
  costMicroUsd: number
  unpriced: number
  estimated: number
}

/** What can be spent at most from `from` up to, but not including, `to`: by one person, or by everyone. */
export type SpendLimit = { from: number; to: number; userId: string | null; microUsd: number }

export type NewReservation = {
  price: PriceVersionRow | null
  limits: readonly SpendLimit[]
  /** The row that fits into what is left (millionths of a USD); undefined if none does. */
  rowFor(left: number): UsageRow | undefined
}

export type ReservationResult = { row: UsageRow } | { exceeded: SpendLimit; used: number }

/** The only code that touches the ledger. */
export type UsageStore = {
  /** Adds the reservation if all limits allow it, with everything that is settled or reserved at that moment. */
  reserve(reservation: NewReservation): Promise<ReservationResult>
  /** What is settled and reserved, in millionths of a USD. */
  spent(limit: Omit<SpendLimit, 'microUsd'>): Promise<number>
  /** Removes the reservation. A row that was settled without the provider’s count is replaced. */
  settle(row: UsageRow): Promise<void>
  /** Removes the reservation of a request that costs nothing. */
  cancel(id: string): Promise<void>
  /** Settles in full what no server will settle: one request, or all from before a time. */
  settleLost(which: { id: string } | { before: number }): Promise<void>
  sums(filter: UsageFilter, key: UsageKey): Promise<UsageSums[]>
  /** Oldest first. */
  page(filter: UsageFilter, page: { after: { at: number; id: string } | null; limit: number }): Promise<UsageRow[]>
}

/**
 * Nothing here waits for the disk: it survives every end of this process, and the record of the response, which comes
 * next, makes it durable.
 */
export function makeUsageStore(database: Kysely<UsageTables>): UsageStore {
  return {
    reserve: (reservation) => withoutDiskWait(database, (transaction) => reserve(transaction, reservation)),
    spent: (limit) => spent(database, limit),
    settle: (row) =>
      withoutDiskWait(database, async (transaction) => {
        await transaction.deleteFrom('usage_reservations').where('id', '=', row.id).execute()
        await transaction
          .insertInto('model_usage')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute()
      }),
    cancel: (id) =>
      withoutDiskWait(database, async (transaction) => {
        await transaction.deleteFrom('usage_reservations').where('id', '=', id).execute()
      }),
    settleLost: (which) => settleLost(database, which),
    sums: (filter, key) => sums(database, { filter, key }),
    page: async (filter, { after, limit }) => {
      const rows = within(database.selectFrom('model_usage'), filter).selectAll()
      const rest = after === null ? rows : rows.where(sql<boolean>`(at, id) > (${after.at}, ${after.id})`)
      return await rest.orderBy('at').orderBy('id').limit(limit).execute()
    },
  }
}

async function reserve(
  transaction: Transaction<UsageTables>,
  { price, limits, rowFor }: NewReservation,
): Promise<ReservationResult> {
  await lockUntilEnd(
    transaction,
    'spending',
    limits.map(({ userId }) => userId ?? ''),
  )
  const left: { limit: SpendLimit; used: number }[] = []
  for (const limit of limits) left.push({ limit, used: await spent(transaction, limit) })
  const least = left.toSorted((a, b) => a.limit.microUsd - a.used - (b.limit.microUsd - b.used))[0]
  const row = rowFor(least === undefined ? Number.POSITIVE_INFINITY : least.limit.microUsd - least.used)
  if (row === undefined) {
    if (least === undefined) throw new Error('a request without limits was not allowed')
    return { exceeded: least.limit, used: least.used }
  }
  await transaction.insertInto('usage_reservations').values(row).execute()
  if (price !== null) {
    const known = transaction.insertInto('price_versions').values(price)
    await known.onConflict((conflict) => conflict.column('id').doNothing()).execute()
  }
  return { row }
}

async function spent(
  database: Kysely<UsageTables>,
  { from, to, userId }: Omit<SpendLimit, 'microUsd'>,
): Promise<number> {
  const sumIn = async (table: 'model_usage' | 'usage_reservations') => {
    const rows = database
      .selectFrom(table)
      .select(sql<number>`cast(coalesce(sum(cost_micro_usd), 0) as bigint)`.as('sum'))
      .where('at', '>=', from)
      .where('at', '<', to)
    const found = userId === null ? rows : rows.where('user_id', '=', userId)
    return (await found.executeTakeFirst())?.sum ?? 0
  }
  return (await sumIn('model_usage')) + (await sumIn('usage_reservations'))
}

async function settleLost(database: Kysely<UsageTables>, which: { id: string } | { before: number }): Promise<void> {
  const found = database.selectFrom('usage_reservations').selectAll()
  const rows = await ('id' in which ? found.where('id', '=', which.id) : found.where('at', '<', which.before)).execute()
  if (rows.length === 0) return
  await withoutDiskWait(database, async (transaction) => {
    for (const row of rows) {
      const removed = transaction.deleteFrom('usage_reservations').where('id', '=', row.id)
      // Another server, or the end of the request, was faster.
      if (Number((await removed.executeTakeFirst()).numDeletedRows) === 0) continue
      await transaction
        .insertInto('model_usage')
        .values({ ...row, is_estimated: 1 })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    }
  })
}

async function sums(
  database: Kysely<UsageTables>,
  { filter, key }: { filter: UsageFilter; key: UsageKey },
): Promise<UsageSums[]> {
  const keyed: RawBuilder<UsageSums['key']> = key === 'slot' ? sql`at / ${sql.lit(slotMs)}` : sql`${sql.ref(key)}`
  const name: RawBuilder<string | null> = key === 'model_id' ? sql`max(model_name)` : sql`null`
  const total = (column: keyof UsageRow) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`
  const count = (condition: ReturnType<typeof sql>) =>
    sql<number>`cast(sum(case when ${condition} then 1 else 0 end) as bigint)`
  return await within(database.selectFrom('model_usage'), filter)
    .select([
      keyed.as('key'),
      name.as('name'),
      sql<number>`cast(count(*) as bigint)`.as('requests'),
      total('input_tokens').as('inputTokens'),
      total('output_tokens').as('outputTokens'),
      total('cached_input_tokens').as('cachedInputTokens'),
      total('cost_micro_usd').as('costMicroUsd'),
      count(sql`cost_micro_usd is null`).as('unpriced'),
      count(sql`is_estimated = 1`).as('estimated'),
    ])
    .groupBy(keyed)
    .execute()
}

function within<Output>(
  rows: SelectQueryBuilder<UsageTables, 'model_usage', Output>,
  { from, to, userId, workspaceId }: UsageFilter,
): SelectQueryBuilder<UsageTables, 'model_usage', Output> {
  let found = rows.where('at', '>=', from).where('at', '<', to)
  if (userId !== undefined) found = found.where('user_id', '=', userId)
  if (workspaceId !== undefined) found = found.where('workspace_id', '=', workspaceId)
  return found
}

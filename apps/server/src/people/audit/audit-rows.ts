import type { Kysely } from 'kysely'
import type { AuditRow, AuditTables } from './audit.table.ts'

/** Rows per query: 1000 rows of the usual 1 KiB are 1 MiB of memory. */
const pageRows = 1000

/** Rows of the chain in its order. */
export const chainRows = (database: Kysely<AuditTables>) => rowsOf(database, { order: 'seq', isChained: true })

/** Rows from before the chain, in the order of their digest. */
export const olderRows = (database: Kysely<AuditTables>) => rowsOf(database, { order: 'at', isChained: false })

async function* rowsOf(
  database: Kysely<AuditTables>,
  { order, isChained }: { order: 'seq' | 'at'; isChained: boolean },
): AsyncGenerator<AuditRow> {
  let after: AuditRow | undefined
  do {
    const place = after?.[order] ?? 0
    const id = after?.id ?? ''
    const rows: AuditRow[] = await database
      .selectFrom('audit_events')
      .selectAll()
      .where('seq', isChained ? 'is not' : 'is', null)
      .$if(after !== undefined, (query) =>
        query.where((builder) =>
          builder.or([builder(order, '>', place), builder.and([builder(order, '=', place), builder('id', '>', id)])]),
        ),
      )
      .orderBy(order)
      .orderBy('id')
      .limit(pageRows)
      .execute()
    yield* rows
    after = rows.length < pageRows ? undefined : rows.at(-1)
  } while (after !== undefined)
}

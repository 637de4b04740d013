import type { Kysely } from 'kysely'
import type { AuditRow, AuditTables } from './audit.table.ts'

/** Rows per query: 1000 rows of the usual 1 KiB are 1 MiB of memory. */
const pageRows = 1000

/** Rows of the chain in its order. */
export async function* chainRows(database: Kysely<AuditTables>): AsyncGenerator<AuditRow> {
  let after: AuditRow | undefined
  do {
    const seq = after?.seq ?? -1
    const id = after?.id ?? ''
    const rows: AuditRow[] = await database
      .selectFrom('audit_events')
      .selectAll()
      .where('seq', 'is not', null)
      .where((builder) =>
        builder.or([builder('seq', '>', seq), builder.and([builder('seq', '=', seq), builder('id', '>', id)])]),
      )
      .$if(after === undefined, (query) => query.clearWhere().where('seq', 'is not', null))
      .orderBy('seq')
      .orderBy('id')
      .limit(pageRows)
      .execute()
    yield* rows
    after = rows.length < pageRows ? undefined : rows.at(-1)
  } while (after !== undefined)
}

/** Rows from before the chain, in the order of their digest. */
export async function* olderRows(database: Kysely<AuditTables>): AsyncGenerator<AuditRow> {
  let after: AuditRow | undefined
  do {
    const at = after?.at ?? 0
    const id = after?.id ?? ''
    const rows: AuditRow[] = await database
      .selectFrom('audit_events')
      .selectAll()
      .where('seq', 'is', null)
      .$if(after !== undefined, (query) =>
        query.where((builder) =>
          builder.or([builder('at', '>', at), builder.and([builder('at', '=', at), builder('id', '>', id)])]),
        ),
      )
      .orderBy('at')
      .orderBy('id')
      .limit(pageRows)
      .execute()
    yield* rows
    after = rows.length < pageRows ? undefined : rows.at(-1)
  } while (after !== undefined)
}

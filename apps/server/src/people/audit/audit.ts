import type { AuditEvent } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import type { System } from '../../platform/system/system.ts'
import type { AuditTables } from './audit.table.ts'

/** The audit log. */
export type Audit = {
  record(event: {
    userId: string | null
    action: string
    subject: string | null
    details?: AuditEvent['details']
  }): Promise<void>
  /** Newest first. */
  list(page: { before: { at: number; id: string } | null; limit: number }): Promise<AuditEvent[]>
}

export function makeAudit(options: { database: Kysely<AuditTables>; system: System }): Audit {
  const { database, system } = options
  return {
    record: async (event) => {
      const row = { id: system.newId('operation'), at: system.now(), user_id: event.userId, action: event.action }
      await database
        .insertInto('audit_events')
        .values({ ...row, subject: event.subject, json: JSON.stringify(event.details ?? {}) })
        .execute()
    },
    list: async ({ before, limit }) => {
      const rows = await database
        .selectFrom('audit_events')
        .selectAll()
        .$if(before !== null, (query) =>
          query.where((builder) =>
            builder.or([
              builder('at', '<', before?.at ?? 0),
              builder.and([builder('at', '=', before?.at ?? 0), builder('id', '<', before?.id ?? '')]),
            ]),
          ),
        )
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        at: row.at,
        userId: row.user_id,
        action: row.action,
        subject: row.subject,
        details: JSON.parse(row.json) as AuditEvent['details'],
      }))
    },
  }
}

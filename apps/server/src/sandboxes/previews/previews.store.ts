import type { Kysely } from 'kysely'
import type { UserTables } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import { canWorkSql, type ThreadTables } from '../../threads/public.ts'
import type { ServiceTables } from '../services/services.table.ts'
import type { PassRow, PreviewTables } from './previews.table.ts'

/** A valid pass, with the label of its thread’s previews and what its share link allows. */
export type ValidPass = PassRow & { label: string; may_wake: boolean }

export type PreviewStore = {
  /** The thread’s label; `make` is called until it returns a free one. */
  labelOf(threadId: string, options: { make: () => string; now: number }): Promise<string>
  /** Detaches the label from its thread for good. */
  retireLabel(threadId: string): Promise<void>
  addPass(row: PassRow): Promise<void>
  /**
   * Removes and returns a ticket, so that it is used once; undefined for one that is unknown, used or no longer valid.
   */
  takeTicket(sha256: string, now: number): Promise<ValidPass | undefined>
  /** Those of these passes that are valid: session, key or link valid, thread not deleted and within the key’s reach, and the person can work in it. */
  valid(sha256s: readonly string[], now: number): Promise<ValidPass[]>
  removeExpired(now: number): Promise<void>
}

/** A pass is checked together with what it depends on, which other features store. */
type Tables = PreviewTables &
  Pick<UserTables, 'sessions' | 'api_keys' | 'api_key_workspaces'> &
  Pick<ThreadTables, 'threads'> &
  Pick<ServiceTables, 'services'>

export function makePreviewStore(database: Kysely<Tables>): PreviewStore {
  const valid: PreviewStore['valid'] = async (sha256s, now) => {
    const rows = await database
      .selectFrom('preview_passes as pass')
      .innerJoin('preview_labels as label', 'label.thread_id', 'pass.thread_id')
      .innerJoin('threads as thread', 'thread.id', 'pass.thread_id')
      .leftJoin('sessions as session', 'session.id', 'pass.session_id')
      .leftJoin('api_keys as key', 'key.id', 'pass.api_key_id')
      .leftJoin('preview_shares as share', 'share.id', 'pass.share_id')
      .leftJoin('services as service', (join) =>
        join
          .onRef('service.thread_id', '=', 'share.thread_id')
          .onRef('service.name', '=', 'share.service')
          .onRef('service.port', '=', 'share.port'),
      )
      .selectAll('pass')
      .select(['label.label', 'session.expiresAt as session_expires_at'])
      .select(['key.id as key_id', 'key.expires_at as key_expires_at'])
      .select(['service.name as shared_service', 'share.expires_at as share_expires_at', 'share.may_wake'])
      .where('pass.sha256', 'in', sha256s)
      .where('pass.expires_at', '>', now)
      .where('thread.deleted_at', 'is', null)
      .where(canWorkSql({ thread: 'thread', person: 'pass.user_id' }))
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('key.id', 'is', null),
          eb('key.is_limited', '=', 0),
          exists(
            selectFrom('api_key_workspaces as reach')
              .whereRef('reach.api_key_id', '=', 'key.id')
              .whereRef('reach.workspace_id', '=', 'thread.workspace_id')
              .select('reach.workspace_id'),
          ),
        ]),
      )
      .execute()
    return rows.flatMap((row) => {
      const { session_expires_at, key_id, key_expires_at, shared_service, share_expires_at, may_wake, ...pass } = row
      const isSourceValid =
        pass.share_id !== null
          ? shared_service !== null && (share_expires_at === null || share_expires_at > now)
          : pass.session_id === null
            ? key_id !== null && (key_expires_at === null || key_expires_at > now)
            : session_expires_at !== null && new Date(session_expires_at).getTime() > now
      return isSourceValid ? [{ ...pass, may_wake: pass.share_id === null || may_wake === 1 }] : []
    })
  }
  const find = async (threadId: string) =>
    (await database.selectFrom('preview_labels').select('label').where('thread_id', '=', threadId).executeTakeFirst())
      ?.label
  return {
    labelOf: async (threadId, { make, now }) => {
      for (;;) {
        const known = await find(threadId)
        if (known !== undefined) return known
        // Another thread has it, or this thread got one in the meantime: the next round shows which.
        await database
          .insertInto('preview_labels')
          .values({ label: make(), thread_id: threadId, created_at: now })
          .execute()
          .catch((error: unknown) => {
            if (!isUniqueViolation(error)) throw error
          })
      }
    },
    retireLabel: async (threadId) => {
      await database.updateTable('preview_labels').set({ thread_id: null }).where('thread_id', '=', threadId).execute()
    },
    addPass: async (row) => {
      await database.insertInto('preview_passes').values(row).execute()
    },
    takeTicket: async (sha256, now) => {
      const [ticket] = await valid([sha256], now)
      if (ticket?.kind !== 'ticket') return undefined
      const removed = await database.deleteFrom('preview_passes').where('sha256', '=', sha256).executeTakeFirst()
      // Two concurrent calls both see it; one of them removes it.
      return Number(removed.numDeletedRows) === 1 ? ticket : undefined
    },
    valid,
    removeExpired: async (now) => {
      await database.deleteFrom('preview_passes').where('expires_at', '<=', now).execute()
    },
  }
}

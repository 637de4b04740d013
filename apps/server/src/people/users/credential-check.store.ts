import type { Kysely } from 'kysely'
import type { Caller } from '../../platform/http/api.ts'
import type { UserTables } from './users.table.ts'

/** Whether the session or the key with which somebody came still exists and has not expired. */
export type CredentialCheck = (caller: Caller, now: number) => Promise<boolean>

export function makeCredentialCheck(database: Kysely<Pick<UserTables, 'sessions' | 'api_keys'>>): CredentialCheck {
  return async ({ sessionId, apiKeyId, userId }, now) => {
    if (sessionId !== null) {
      const session = await database
        .selectFrom('sessions')
        .select('expiresAt')
        .where('id', '=', sessionId)
        .where('userId', '=', userId)
        .executeTakeFirst()
      return session !== undefined && new Date(session.expiresAt).getTime() > now
    }
    const key = await database
      .selectFrom('api_keys')
      .select('expires_at')
      .where('id', '=', apiKeyId ?? '')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return key !== undefined && (key.expires_at === null || key.expires_at > now)
  }
}

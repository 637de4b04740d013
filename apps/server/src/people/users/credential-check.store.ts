import type { Kysely } from 'kysely'
import type { CredentialCheck } from './credential-check.ts'
import type { UserTables } from './users.table.ts'

export function makeCredentialCheck(
  database: Kysely<Pick<UserTables, 'sessions' | 'api_keys' | 'person_states'>>,
): CredentialCheck {
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
      .leftJoin('person_states', 'person_states.user_id', 'api_keys.user_id')
      .select('expires_at')
      .where('id', '=', apiKeyId ?? '')
      .where('api_keys.user_id', '=', userId)
      .where('person_states.disabled_at', 'is', null)
      .executeTakeFirst()
    return key !== undefined && (key.expires_at === null || key.expires_at > now)
  }
}

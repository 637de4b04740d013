import type { ExpressionBuilder, Kysely } from 'kysely'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { OidcSessionRow, OidcTables } from './oidc.table.ts'

/** Sessions that sign-ins at providers created, and logout tokens that were used. */
export type OidcSessionStore = {
  insert(row: OidcSessionRow): Promise<void>
  /** Those to check by now, the longest due first. */
  due(now: number): Promise<OidcSessionRow[]>
  /** Moves the next check, unless another server was faster. Then it returns false. */
  claim(row: OidcSessionRow, dueAt: number): Promise<boolean>
  checked(sessionId: string, columns: Pick<OidcSessionRow, 'sealed_refresh' | 'checked_at' | 'due_at'>): Promise<void>
  /**
   * The ids of the sessions of an identity, or only of one session at the provider, with those of which the provider did
   * not tell to which session they belong.
   */
  ofIdentity(identityId: string, providerSid?: string): Promise<string[]>
  /** The ids of the sessions that belong to one session at the provider. */
  ofProviderSession(providerId: string, providerSid: string): Promise<string[]>
  sealedTokens(): Promise<string[]>
  /** Returns false if the token was used before. */
  useLogoutToken(sha256: string, until: { now: number; expiresAt: number }): Promise<boolean>
}

const maxDue = 200

export function makeOidcSessionStore(database: Kysely<OidcTables>): OidcSessionStore {
  const isOf = (sid: string) => (where: ExpressionBuilder<OidcTables, 'oidc_sessions'>) =>
    where.or([where('provider_sid', '=', sid), where('provider_sid', 'is', null)])
  const ids = (rows: { session_id: string }[]) => rows.map(({ session_id }) => session_id)
  return {
    insert: async (row) => {
      await database.insertInto('oidc_sessions').values(row).execute()
    },
    due: (now) =>
      database
        .selectFrom('oidc_sessions')
        .selectAll()
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('session_id')
        .limit(maxDue)
        .execute(),
    claim: async (row, due_at) => {
      const claimed = await database
        .updateTable('oidc_sessions')
        .set({ due_at })
        .where('session_id', '=', row.session_id)
        .where('due_at', '=', row.due_at)
        .executeTakeFirst()
      return Number(claimed.numUpdatedRows) > 0
    },
    checked: async (sessionId, columns) => {
      await database.updateTable('oidc_sessions').set(columns).where('session_id', '=', sessionId).execute()
    },
    ofIdentity: async (identityId, providerSid) => {
      const rows = database.selectFrom('oidc_sessions').select('session_id').where('identity_id', '=', identityId)
      return ids(await (providerSid === undefined ? rows : rows.where(isOf(providerSid))).execute())
    },
    ofProviderSession: async (providerId, providerSid) =>
      ids(
        await database
          .selectFrom('oidc_sessions')
          .innerJoin('oidc_identities', 'oidc_identities.id', 'oidc_sessions.identity_id')
          .select('session_id')
          .where('provider_id', '=', providerId)
          .where('provider_sid', '=', providerSid)
          .execute(),
      ),
    sealedTokens: async () => {
      const rows = await database
        .selectFrom('oidc_sessions')
        .select('sealed_refresh')
        .where('sealed_refresh', 'is not', null)
        .execute()
      return rows.map(({ sealed_refresh }) => sealed_refresh ?? '')
    },
    useLogoutToken: async (token_sha256, { now, expiresAt }) => {
      await database.deleteFrom('oidc_logouts').where('expires_at', '<=', now).execute()
      try {
        await database.insertInto('oidc_logouts').values({ token_sha256, expires_at: expiresAt }).execute()
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
  }
}

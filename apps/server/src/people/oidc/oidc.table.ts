import type { Kysely } from 'kysely'

/** `settings_json`: `ProviderSettings`. */
export type OidcProviderRow = {
  id: string
  name: string
  issuer: string
  client_id: string
  sealed_secret: string | null
  settings_json: string
  created_at: number
}

/** An account at an issuer. Its key is the issuer and the subject there, never the address. */
export type OidcIdentityRow = {
  id: string
  provider_id: string
  issuer: string
  subject: string
  user_id: string
  email: string | null
  created_at: number
  used_at: number
}

/** A sign-in that was started. `purpose_json`: what it is for. `sealed_checks`: nonce and PKCE verifier. */
export type OidcStateRow = {
  state_sha256: string
  cookie_sha256: string
  provider_id: string
  sealed_checks: string
  purpose_json: string
  redirect_uri: string
  return_to: string
  expires_at: number
}

/** A session that a sign-in at a provider created. `provider_sid`: the session there. */
export type OidcSessionRow = {
  session_id: string
  identity_id: string
  provider_sid: string | null
  sealed_refresh: string | null
  checked_at: number
  due_at: number
}

/** What a group gave a person: only that is removed again. `target`: a workspace, or empty. */
export type OidcGrantRow = { identity_id: string; kind: string; target: string; value: string }

/** Logout tokens that were used, so that each works once. */
type OidcLogoutRow = { token_sha256: string; expires_at: number }

export type OidcTables = {
  oidc_providers: OidcProviderRow
  oidc_identities: OidcIdentityRow
  oidc_states: OidcStateRow
  oidc_sessions: OidcSessionRow
  oidc_grants: OidcGrantRow
  oidc_logouts: OidcLogoutRow
}

export async function createOidcTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('oidc_providers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('issuer', 'text', (column) => column.notNull().unique())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('sealed_secret', 'text')
    .addColumn('settings_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('oidc_identities')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('provider_id', 'text', (column) => column.notNull().references('oidc_providers.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('email', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('oidc_identities_subject', ['issuer', 'subject'])
    .execute()
  await database.schema.createIndex('oidc_identities_user_idx').on('oidc_identities').column('user_id').execute()
  await createVisitTables(database)
}

async function createVisitTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('oidc_states')
    .addColumn('state_sha256', 'text', (column) => column.primaryKey())
    .addColumn('cookie_sha256', 'text', (column) => column.notNull())
    .addColumn('provider_id', 'text', (column) => column.notNull().references('oidc_providers.id').onDelete('cascade'))
    .addColumn('sealed_checks', 'text', (column) => column.notNull())
    .addColumn('purpose_json', 'text', (column) => column.notNull())
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('return_to', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('oidc_sessions')
    .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
    .addColumn('identity_id', 'text', (column) => column.notNull().references('oidc_identities.id').onDelete('cascade'))
    .addColumn('provider_sid', 'text')
    .addColumn('sealed_refresh', 'text')
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('oidc_sessions_due_idx').on('oidc_sessions').column('due_at').execute()
  await database.schema.createIndex('oidc_sessions_identity_idx').on('oidc_sessions').column('identity_id').execute()
  await database.schema
    .createTable('oidc_grants')
    .addColumn('identity_id', 'text', (column) => column.notNull().references('oidc_identities.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('oidc_grants_pk', ['identity_id', 'kind', 'target'])
    .execute()
  await database.schema
    .createTable('oidc_logouts')
    .addColumn('token_sha256', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
}

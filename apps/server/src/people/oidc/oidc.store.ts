import type { Kysely } from 'kysely'
import type { OidcGrantRow, OidcIdentityRow, OidcProviderRow, OidcStateRow, OidcTables } from './oidc.table.ts'

/** Providers, and who is who at them. With `OidcSessionStore` the only code that touches the tables of this feature. */
export type OidcStore = {
  providers: ProviderRows
  identities: IdentityRows
  states: StateRows
  grants: GrantRows
}

type ProviderRows = {
  /** Oldest first. */
  list(): Promise<OidcProviderRow[]>
  find(id: string): Promise<OidcProviderRow | undefined>
  /** Throws a unique violation if the issuer exists already. */
  insert(row: OidcProviderRow): Promise<void>
  update(id: string, columns: Partial<OidcProviderRow>): Promise<void>
  /** Its identities, states and sessions’ records go with it. Returns false if there is none. */
  remove(id: string): Promise<boolean>
}

type IdentityRows = {
  find(issuer: string, subject: string): Promise<OidcIdentityRow | undefined>
  byId(id: string): Promise<OidcIdentityRow | undefined>
  ofPerson(userId: string): Promise<OidcIdentityRow[]>
  ofProvider(providerId: string): Promise<OidcIdentityRow[]>
  /** Throws a unique violation if the issuer’s account is connected already. */
  insert(row: OidcIdentityRow): Promise<void>
  touch(id: string, columns: { used_at: number; email: string | null }): Promise<void>
  remove(id: string): Promise<void>
}

type StateRows = {
  insert(row: OidcStateRow): Promise<void>
  find(sha256: string, now: number): Promise<OidcStateRow | undefined>
  /** Returns false if another request was faster. */
  use(sha256: string): Promise<boolean>
  removeExpired(now: number): Promise<void>
}

type GrantRows = {
  of(identityId: string): Promise<OidcGrantRow[]>
  put(row: OidcGrantRow): Promise<void>
  remove(row: Omit<OidcGrantRow, 'value'>): Promise<void>
}

export function makeOidcStore(database: Kysely<OidcTables>): OidcStore {
  return {
    providers: providerRows(database),
    identities: identityRows(database),
    states: stateRows(database),
    grants: grantRows(database),
  }
}

function providerRows(database: Kysely<OidcTables>): ProviderRows {
  return {
    list: () => database.selectFrom('oidc_providers').selectAll().orderBy('created_at').orderBy('id').execute(),
    find: (id) => database.selectFrom('oidc_providers').selectAll().where('id', '=', id).executeTakeFirst(),
    insert: async (row) => {
      await database.insertInto('oidc_providers').values(row).execute()
    },
    update: async (id, columns) => {
      if (Object.keys(columns).length === 0) return
      await database.updateTable('oidc_providers').set(columns).where('id', '=', id).execute()
    },
    remove: async (id) => {
      const removed = await database.deleteFrom('oidc_providers').where('id', '=', id).executeTakeFirst()
      return Number(removed.numDeletedRows) > 0
    },
  }
}

function identityRows(database: Kysely<OidcTables>): IdentityRows {
  const all = () => database.selectFrom('oidc_identities').selectAll()
  return {
    find: (issuer, subject) => all().where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst(),
    byId: (id) => all().where('id', '=', id).executeTakeFirst(),
    ofPerson: (userId) => all().where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute(),
    ofProvider: (providerId) => all().where('provider_id', '=', providerId).execute(),
    insert: async (row) => {
      await database.insertInto('oidc_identities').values(row).execute()
    },
    touch: async (id, columns) => {
      await database.updateTable('oidc_identities').set(columns).where('id', '=', id).execute()
    },
    remove: async (id) => {
      await database.deleteFrom('oidc_identities').where('id', '=', id).execute()
    },
  }
}

function stateRows(database: Kysely<OidcTables>): StateRows {
  return {
    insert: async (row) => {
      await database.insertInto('oidc_states').values(row).execute()
    },
    find: (sha256, now) =>
      database
        .selectFrom('oidc_states')
        .selectAll()
        .where('state_sha256', '=', sha256)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    use: async (sha256) => {
      const used = await database.deleteFrom('oidc_states').where('state_sha256', '=', sha256).executeTakeFirst()
      return Number(used.numDeletedRows) > 0
    },
    removeExpired: async (now) => {
      await database.deleteFrom('oidc_states').where('expires_at', '<=', now).execute()
    },
  }
}

function grantRows(database: Kysely<OidcTables>): GrantRows {
  return {
    of: (identityId) => database.selectFrom('oidc_grants').selectAll().where('identity_id', '=', identityId).execute(),
    put: async (row) => {
      await database
        .insertInto('oidc_grants')
        .values(row)
        .onConflict((conflict) => conflict.columns(['identity_id', 'kind', 'target']).doUpdateSet({ value: row.value }))
        .execute()
    },
    remove: async ({ identity_id, kind, target }) => {
      await database
        .deleteFrom('oidc_grants')
        .where('identity_id', '=', identity_id)
        .where('kind', '=', kind)
        .where('target', '=', target)
        .execute()
    },
  }
}

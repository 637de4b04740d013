import type { Kysely } from 'kysely'

/** A key with which a person signs in. Its private half is in the person’s device. */
export type PasskeyRow = {
  id: string
  user_id: string
  /** The authenticator’s id for it, base64url. */
  credential_id: string
  /** COSE, base64url. */
  public_key: string
  /** What the authenticator last counted; always 0 if it doesn’t count. */
  counter: number
  transports_json: string
  name: string
  /** The relying party: the host of the app at which it was added. */
  host: string
  created_at: number
  last_used_at: number | null
}

/** What a browser has to sign, once. */
export type PasskeyChallengeRow = {
  challenge: string
  purpose: string
  /** Null: signing in, by a person who isn’t known yet. */
  user_id: string | null
  /** SHA-256 of the cookie of the browser that asked. */
  browser: string
  expires_at: number
}

export type PasskeyTables = { passkeys: PasskeyRow; passkey_challenges: PasskeyChallengeRow }

export async function createPasskeyTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports_json', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await database.schema.createIndex('passkeys_user_id_idx').on('passkeys').column('user_id').execute()
  await database.schema
    .createTable('passkey_challenges')
    .addColumn('challenge', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('browser', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('passkey_challenges_expires_at_idx')
    .on('passkey_challenges')
    .column('expires_at')
    .execute()
}

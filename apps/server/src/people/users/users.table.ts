import { type Kysely, sql } from 'kysely'
import type { DatabaseKind } from '../../platform/database/database.ts'

/**
 * Tables of the authentication library, with its column names. Times are text in the embedded database, otherwise
 * `timestamptz`.
 */
type UserRow = {
  id: string
  name: string
  email: string
  emailVerified: number | boolean
  image: string | null
  createdAt: string | Date
  updatedAt: string | Date
}
type SessionRow = {
  id: string
  expiresAt: string | Date
  token: string
  createdAt: string | Date
  updatedAt: string | Date
  ipAddress: string | null
  userAgent: string | null
  userId: string
}
/** A key for programs. Only its SHA-256 is stored. */
export type ApiKeyRow = {
  id: string
  user_id: string
  name: string
  prefix: string
  sha256: string
  created_at: number
  last_used_at: number | null
  expires_at: number | null
  /** The scopes, separated by spaces. */
  scopes: string
  /** 1: the key reaches only its workspaces in `api_key_workspaces`, also when none is left. */
  is_limited: number
}
/** A workspace to which a key is limited. The row is deleted with the workspace. */
export type KeyWorkspaceRow = { api_key_id: string; workspace_id: string }
/** The number of calls that a key was refused on a day (UTC, `2026-11-26`) because it lacks what the action requires. */
export type KeyRefusalRow = { api_key_id: string; action: string; day: string; count: number }
/** When the person of a session last entered their password again. */
type ConfirmationRow = { session_id: string; confirmed_at: number }
/**
 * The owner of the installation: up to one row, whose `id` is always 1. Its primary key decides between concurrent
 * sign-ups.
 */
type OwnerRow = { id: number; user_id: string; created_at: number }

/**
 * What the installation knows of a person beside the authentication library; without a row: an enabled member.
 * `role_by_hand`: 1 if the owner or an admin set the role, so that groups of a provider leave it alone.
 */
type PersonStateRow = {
  user_id: string
  role: string
  role_by_hand: number
  disabled_at: number | null
  erasing_at: number | null
}

/** A way to sign in. `password` is a hash, for the provider `credential` only. */
type AccountRow = { userId: string; providerId: string; password: string | null }

export type UserTables = {
  users: UserRow
  sessions: SessionRow
  accounts: AccountRow
  api_keys: ApiKeyRow
  api_key_refusals: KeyRefusalRow
  api_key_workspaces: KeyWorkspaceRow
  session_confirmations: ConfirmationRow
  owner: OwnerRow
  person_states: PersonStateRow
}

export async function createUserTables(database: Kysely<never>, kind: DatabaseKind): Promise<void> {
  await createLoginTables(database, kind)
  await database.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .execute()
  await database.schema
    .createTable('owner')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function createLoginTables(database: Kysely<never>, kind: DatabaseKind): Promise<void> {
  const time = kind === 'sqlite' ? sql`date` : sql`timestamptz`
  const flag = kind === 'sqlite' ? sql`integer` : sql`boolean`
  await database.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('emailVerified', flag, (column) => column.notNull())
    .addColumn('image', 'text')
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .execute()
  await database.schema.createIndex('sessions_userId_idx').on('sessions').column('userId').execute()
  await createAccountTables(database, time)
}

async function createAccountTables(database: Kysely<never>, time: ReturnType<typeof sql>): Promise<void> {
  await database.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('accountId', 'text', (column) => column.notNull())
    .addColumn('providerId', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('accessToken', 'text')
    .addColumn('refreshToken', 'text')
    .addColumn('idToken', 'text')
    .addColumn('accessTokenExpiresAt', time)
    .addColumn('refreshTokenExpiresAt', time)
    .addColumn('scope', 'text')
    .addColumn('password', 'text')
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute()
  await database.schema.createIndex('accounts_userId_idx').on('accounts').column('userId').execute()
  await database.schema
    .createTable('verifications')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('identifier', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute()
  await database.schema.createIndex('verifications_identifier_idx').on('verifications').column('identifier').execute()
}

/** Keys from before scopes keep what programs use; what changes keys, models or settings needs a new key or a person. */
export async function addKeyScopes(database: Kysely<never>): Promise<void> {
  await database.schema
    .alterTable('api_keys')
    .addColumn('scopes', 'text', (column) => column.notNull().defaultTo('read work share agents workspace'))
    .execute()
  await database.schema
    .createTable('api_key_refusals')
    .addColumn('api_key_id', 'text', (column) => column.notNull().references('api_keys.id').onDelete('cascade'))
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('api_key_refusals_pk', ['api_key_id', 'action', 'day'])
    .execute()
  await database.schema
    .createTable('session_confirmations')
    .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
    .addColumn('confirmed_at', 'bigint', (column) => column.notNull())
    .execute()
}

/** Keys from before reach everything that their owner does. */
export async function addKeyWorkspaces(database: Kysely<never>): Promise<void> {
  await database.schema
    .alterTable('api_keys')
    .addColumn('is_limited', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await database.schema
    .createTable('api_key_workspaces')
    .addColumn('api_key_id', 'text', (column) => column.notNull().references('api_keys.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('api_key_workspaces_pk', ['api_key_id', 'workspace_id'])
    .execute()
}

export async function addPersonStates(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('person_states')
    .addColumn('user_id', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .execute()
}

export async function addRoleByHand(database: Kysely<never>): Promise<void> {
  await database.schema
    .alterTable('person_states')
    .addColumn('role_by_hand', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}

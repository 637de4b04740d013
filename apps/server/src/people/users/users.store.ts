import type { Kysely } from 'kysely'
import type { UserTables } from './users.table.ts'

export type UserRecord = { id: string; name: string; email: string }

/** `role` is null if none was set. */
export type PersonRecord = UserRecord & {
  role: string | null
  disabledAt: number | null
  /** Since when the account is being erased. */
  erasingAt: number | null
  isOwner: boolean
}

/** Reads beside the authentication library, and the owner. */
export type UserStore = {
  find(userId: string): Promise<UserRecord | undefined>
  ownerId(): Promise<string | undefined>
  /** Everyone, by name. */
  people(): Promise<PersonRecord[]>
  person(userId: string): Promise<PersonRecord | undefined>
  findByEmail(email: string): Promise<{ id: string } | undefined>
  /** `isByHand`: a person decided it. Groups of a provider then no longer do. */
  setPersonRole(userId: string, role: string, isByHand: boolean): Promise<void>
  isRoleByHand(userId: string): Promise<boolean>
  /** Null: enabled. */
  setDisabled(userId: string, at: number | null): Promise<void>
  /** It is never enabled again. */
  setErasing(userId: string, at: number): Promise<void>
  isDisabled(email: string): Promise<boolean>
  setPasswordHash(userId: string, hash: string): Promise<void>
  endSessions(userId: string): Promise<void>
  endTheseSessions(sessionIds: readonly string[]): Promise<void>
  passwordHashOf(userId: string): Promise<string | undefined>
  /** The hash of the account’s password. */
  passwordHash(email: string): Promise<string | undefined>
  /** Makes this user the owner. Throws a unique violation when an owner exists. */
  claimOwner(userId: string, at: number): Promise<void>
  renameUser(userId: string, name: string): Promise<void>
  /** Deletes the account, with all rows that refer to it. */
  erase(userId: string): Promise<void>
  sessions(userId: string): Promise<{ id: string; createdAt: number; expiresAt: number; userAgent: string | null }[]>
  /** When the person of the session last entered the password again; null: not since signing in. */
  confirmedAt(sessionId: string): Promise<number | null>
  confirm(sessionId: string, at: number): Promise<void>
  /** Returns false when this user has no such session. */
  endSession(userId: string, sessionId: string): Promise<boolean>
}

export function makeUserStore(database: Kysely<UserTables>): UserStore {
  return {
    ...roleQueries(database),
    ...passwordQueries(database),
    find: (userId) =>
      database.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', userId).executeTakeFirst(),
    people: async () => (await people(database).orderBy('users.name').orderBy('users.id').execute()).map(recordOf),
    person: async (userId) => {
      const row = await people(database).where('users.id', '=', userId).executeTakeFirst()
      return row && recordOf(row)
    },
    findByEmail: (email) =>
      database.selectFrom('users').select('id').where('email', '=', email.toLowerCase()).executeTakeFirst(),
    setDisabled: (userId, disabled_at) => putState(database, userId, { disabled_at }),
    setErasing: (userId, erasing_at) => putState(database, userId, { erasing_at }),
    isDisabled: async (email) => {
      const row = await people(database).where('users.email', '=', email.toLowerCase()).executeTakeFirst()
      return row?.disabled_at != null
    },
    endSessions: async (userId) => {
      await database.deleteFrom('sessions').where('userId', '=', userId).execute()
    },
    endTheseSessions: async (sessionIds) => {
      if (sessionIds.length > 0) await database.deleteFrom('sessions').where('id', 'in', sessionIds).execute()
    },
    ownerId: async () => (await database.selectFrom('owner').select('user_id').executeTakeFirst())?.user_id,
    claimOwner: async (userId, at) => {
      await database.insertInto('owner').values({ id: 1, user_id: userId, created_at: at }).execute()
    },
    renameUser: async (userId, name) => {
      await database.updateTable('users').set({ name }).where('id', '=', userId).execute()
    },
    confirmedAt: async (sessionId) => {
      const row = await database
        .selectFrom('session_confirmations')
        .select('confirmed_at')
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return row?.confirmed_at ?? null
    },
    confirm: async (sessionId, at) => {
      await database
        .insertInto('session_confirmations')
        .values({ session_id: sessionId, confirmed_at: at })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ confirmed_at: at }))
        .execute()
    },
    erase: async (userId) => {
      await database.deleteFrom('users').where('id', '=', userId).execute()
    },
    sessions: async (userId) => {
      const rows = await database
        .selectFrom('sessions')
        .select(['id', 'createdAt', 'expiresAt', 'userAgent'])
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        createdAt: new Date(row.createdAt).getTime(),
        expiresAt: new Date(row.expiresAt).getTime(),
        userAgent: row.userAgent,
      }))
    },
    endSession: async (userId, sessionId) => {
      const result = await database
        .deleteFrom('sessions')
        .where('id', '=', sessionId)
        .where('userId', '=', userId)
        .executeTakeFirst()
      return Number(result.numDeletedRows) > 0
    },
  }
}

function roleQueries(database: Kysely<UserTables>): Pick<UserStore, 'setPersonRole' | 'isRoleByHand'> {
  return {
    setPersonRole: (userId, role, isByHand) =>
      putState(database, userId, { role, ...(isByHand ? { role_by_hand: 1 } : {}) }),
    isRoleByHand: async (userId) => {
      const row = await database
        .selectFrom('person_states')
        .select('role_by_hand')
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row?.role_by_hand === 1
    },
  }
}

function passwordQueries(
  database: Kysely<UserTables>,
): Pick<UserStore, 'setPasswordHash' | 'passwordHash' | 'passwordHashOf'> {
  return {
    setPasswordHash: async (userId, password) => {
      await database
        .updateTable('accounts')
        .set({ password })
        .where('userId', '=', userId)
        .where('providerId', '=', 'credential')
        .execute()
    },
    passwordHashOf: async (userId) => {
      const row = await database
        .selectFrom('accounts')
        .select('password')
        .where('userId', '=', userId)
        .where('providerId', '=', 'credential')
        .executeTakeFirst()
      return row?.password ?? undefined
    },
    passwordHash: async (email) => {
      const row = await database
        .selectFrom('users')
        .innerJoin('accounts', 'accounts.userId', 'users.id')
        .select('accounts.password')
        .where('users.email', '=', email.toLowerCase())
        .where('accounts.providerId', '=', 'credential')
        .executeTakeFirst()
      return row?.password ?? undefined
    },
  }
}

function people(database: Kysely<UserTables>) {
  return database
    .selectFrom('users')
    .leftJoin('person_states', 'person_states.user_id', 'users.id')
    .leftJoin('owner', 'owner.user_id', 'users.id')
    .select(['users.id', 'users.name', 'users.email', 'person_states.role', 'person_states.disabled_at'])
    .select(['person_states.erasing_at', 'owner.id as owner'])
}

function recordOf(row: Awaited<ReturnType<ReturnType<typeof people>['executeTakeFirstOrThrow']>>): PersonRecord {
  const { id, name, email, role, disabled_at, erasing_at, owner } = row
  return { id, name, email, role, disabledAt: disabled_at, erasingAt: erasing_at, isOwner: owner !== null }
}

async function putState(
  database: Kysely<UserTables>,
  user_id: string,
  columns: { role?: string; role_by_hand?: number; disabled_at?: number | null; erasing_at?: number },
): Promise<void> {
  await database
    .insertInto('person_states')
    .values({ user_id, role: 'member', role_by_hand: 0, disabled_at: null, erasing_at: null, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

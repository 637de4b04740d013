import { isErrorOf } from '@threadbox/errors'
import type {
  CreatedInvite,
  CreateInvite,
  Invite,
  Invites as InvitesView,
  Join,
  ResetLink,
  ResetPassword,
  SignInLink,
} from '@threadbox/protocol/public'
import { networkOf } from '../../platform/http/client-address.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { AttemptLimit } from '../users/attempt-limit.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import { tooManyAttempts } from '../users/users.errors.ts'
import type { LoggedIn, RequestOrigin, Users } from '../users/users.usecases.ts'
import { inviteForOther, inviteInvalid, inviteLimit, inviteNotFound } from './invites.errors.ts'
import type { InviteStore } from './invites.store.ts'
import type { InviteRow } from './invites.table.ts'

/** Links with which people join, and with which they set a new password. */
export type Invites = {
  /** Throws `auth.owner-required`, as all methods for administrators do. */
  list(userId: string): Promise<InvitesView>
  /** Throws `invite.limit`, `person.protected`, and what `requireWorkspace` throws. */
  create(userId: string, request: CreateInvite): Promise<CreatedInvite>
  /** Throws `invite.not-found`. */
  revoke(userId: string, id: string): Promise<void>
  /** Replaces an earlier link of this person. Throws `person.not-found`, `person.protected`. */
  resetLink(userId: string, personId: string): Promise<ResetLink>
  /** What a link is for. Throws `invite.invalid`, `auth.too-many-attempts`. */
  read(secret: string, origin: RequestOrigin): Promise<SignInLink>
  /** Throws as `look`, and `invite.for-other`, `auth.email-taken`. */
  join(request: Join, origin: RequestOrigin): Promise<LoggedIn>
  /**
   * Uses a link that was opened in the same browser, for a person that a provider has identified: the account that `add`
   * creates, or the one whose password the link would set. Throws as `join`, and what `add` throws.
   */
  redeem(sha256: string, person: Redeemed): Promise<{ userId: string; isNew: boolean }>
  /** Throws as `look`, and `auth.account-disabled`. */
  reset(request: ResetPassword, origin: RequestOrigin): Promise<LoggedIn>
}

/** `email`: null if the provider told none. */
export type Redeemed = { email: string | null; add: () => Promise<string> }

/** Makes a person a member of these workspaces; one that no longer exists is left out. */
export type JoinWorkspaces = (userId: string, workspaceIds: readonly string[]) => Promise<void>

export type InvitesDependencies = {
  store: InviteStore
  users: Pick<Users, 'me' | 'addPerson' | 'setPassword'>
  administration: Pick<PeopleAdministration, 'requireAdministrator' | 'requireManaged' | 'setRole'>
  attempts: AttemptLimit
  /** Throws unless this user manages the workspace. */
  requireManagedWorkspace(userId: string, workspaceId: string): Promise<void>
  joinWorkspaces: JoinWorkspaces
  audit: Audit
  system: System
}

const dayMs = 24 * 60 * 60_000
const maxInvites = 200
const inviteDays = 7
/** Guesses from one network in a window: a whole office can join with links at the same time. */
const maxGuesses = 60

export function makeInvites(dependencies: InvitesDependencies): Invites {
  const { store, administration, attempts, audit, system } = dependencies
  /** One row for each window, with the address, however many requests come. */
  const reportGuesses = async (network: string) => {
    const isFirst = await attempts.take(`link guesses ${network}`, 1).then(
      () => true,
      (error: unknown) => {
        if (isErrorOf(tooManyAttempts, error)) return false
        throw error
      },
    )
    if (isFirst) await audit.record({ userId: null, action: 'links-guessed', subject: null })
  }
  /** Each read of a link counts, so that a secret can’t be guessed; that of a valid one is undone. */
  const counted = async <Result>(origin: RequestOrigin, work: () => Promise<Result>): Promise<Result> => {
    const network = networkOf(origin.address)
    const attempt = await attempts.take(`link ${network}`, maxGuesses).catch(async (error: unknown) => {
      if (isErrorOf(tooManyAttempts, error)) await reportGuesses(network)
      throw error
    })
    const result = await work()
    await attempts.giveBack(attempt)
    return result
  }
  const find = async (secret: string) => {
    const row = await store.find(sha256Of(secret), system.now())
    if (row === undefined) throw inviteInvalid({})
    return row
  }
  return {
    list: async (userId) => {
      await administration.requireAdministrator(userId)
      return { invites: (await store.list(system.now())).map(present) }
    },
    create: async (userId, request) => {
      const { role = 'member', workspaceIds = [] } = request
      const own = await administration.requireAdministrator(userId)
      if (role === 'admin') await administration.requireManaged(userId, { id: null, role: 'admin' })
      for (const workspaceId of workspaceIds) await dependencies.requireManagedWorkspace(userId, workspaceId)
      await store.removeExpired(system.now())
      if ((await store.list(system.now())).length >= maxInvites) throw inviteLimit({ limit: maxInvites })
      const { row, secret } = newRow(system, {
        user_id: null,
        role,
        email: request.email?.toLowerCase() ?? null,
        workspace_ids_json: JSON.stringify([...new Set(workspaceIds)]),
        uses_left: request.uses ?? 1,
        created_by: own.id,
        days: request.expiresInDays ?? inviteDays,
      })
      await store.insert(row)
      const details = { role, email: row.email ?? 'any', uses: row.uses_left }
      await audit.record({ userId, action: 'invite-created', subject: row.id, details })
      return { ...present(row), path: `/join#${secret}` }
    },
    revoke: async (userId, id) => {
      await administration.requireAdministrator(userId)
      if (!(await store.remove(id))) throw inviteNotFound({})
      await audit.record({ userId, action: 'invite-revoked', subject: id })
    },
    resetLink: async (userId, personId) => {
      await administration.requireManaged(userId, { id: personId })
      return await makeResetLink(dependencies, { userId, personId })
    },
    read: (secret, origin) =>
      counted(origin, async () => {
        const { user_id, email, expires_at } = await find(secret)
        return { kind: user_id === null ? 'invite' : 'reset', email, expiresAt: expires_at }
      }),
    join: (request, origin) => counted(origin, () => join(dependencies, request, origin)),
    redeem: (sha256, person) => redeem(dependencies, sha256, person),
    reset: (request, origin) => counted(origin, () => reset(dependencies, request, origin)),
  }
}

/** The link of a person who asks for none, as on the machine itself; `userId` null: by its administrator. */
export async function makeResetLink(
  { store, audit, system }: Pick<InvitesDependencies, 'store' | 'audit' | 'system'>,
  { userId, personId }: { userId: string | null; personId: string },
): Promise<ResetLink> {
  await store.removeResets(personId)
  const { row, secret } = newRow(system, {
    user_id: personId,
    role: 'member',
    email: null,
    workspace_ids_json: '[]',
    uses_left: 1,
    created_by: userId ?? '',
    days: 1,
  })
  await store.insert(row)
  await audit.record({ userId, action: 'reset-link-created', subject: personId })
  return { path: `/reset#${secret}`, expiresAt: row.expires_at }
}

/**
 * The use is counted before the account exists, so that two people can’t share one. A crash in between costs the use: the
 * inviter sees that it is gone, and creates another.
 */
async function join(dependencies: InvitesDependencies, request: Join, origin: RequestOrigin): Promise<LoggedIn> {
  const { users } = dependencies
  const { name, email, password } = request
  const { row, added } = await used(dependencies, sha256Of(request.secret), async (invite) => {
    if (invite.user_id !== null) throw inviteInvalid({})
    requireAddress(invite, email)
    return await users.addPerson({ name, email, password }, origin)
  })
  await welcome(dependencies, row, added.userId)
  return { me: await users.me(added.userId), setCookies: added.setCookies }
}

async function redeem(
  dependencies: InvitesDependencies,
  sha256: string,
  person: Redeemed,
): Promise<{ userId: string; isNew: boolean }> {
  const { row, added } = await used(dependencies, sha256, async (link) => {
    if (link.user_id !== null) return { userId: link.user_id, isNew: false }
    requireAddress(link, person.email ?? '')
    return { userId: await person.add(), isNew: true }
  })
  if (added.isNew) await welcome(dependencies, row, added.userId)
  return added
}

/** Uses a link once. If `work` fails, it can be used again. */
async function used<Added>(
  { store, system }: Pick<InvitesDependencies, 'store' | 'system'>,
  sha256: string,
  work: (row: InviteRow) => Promise<Added>,
): Promise<{ row: InviteRow; added: Added }> {
  const row = await store.use(sha256, system.now())
  if (row === undefined) throw inviteInvalid({})
  const added = await work(row).catch(async (error: unknown) => {
    await store.giveBack(row.id)
    throw error
  })
  return { row, added }
}

function requireAddress(row: InviteRow, email: string): void {
  if (row.email !== null && row.email !== email.toLowerCase()) throw inviteForOther({})
}

/** Gives a new person what their invite says. */
async function welcome(
  { administration, joinWorkspaces, audit }: InvitesDependencies,
  row: InviteRow,
  userId: string,
): Promise<void> {
  if (row.role === 'admin') await administration.setRole(userId, 'admin')
  await joinWorkspaces(userId, JSON.parse(row.workspace_ids_json) as string[])
  await audit.record({ userId, action: 'person-joined', subject: userId, details: { invite: row.id, role: row.role } })
}

async function reset(
  dependencies: InvitesDependencies,
  request: ResetPassword,
  origin: RequestOrigin,
): Promise<LoggedIn> {
  const { store, users, audit, system } = dependencies
  const row = await store.use(sha256Of(request.secret), system.now())
  if (row === undefined || row.user_id === null) {
    if (row !== undefined) await store.giveBack(row.id)
    throw inviteInvalid({})
  }
  const userId = row.user_id
  const setCookies = await users.setPassword(userId, request.password, origin)
  await audit.record({ userId, action: 'password-reset', subject: userId })
  return { me: await users.me(userId), setCookies }
}

type NewInvite = Omit<InviteRow, 'id' | 'sha256' | 'created_at' | 'expires_at'> & { days: number }

function newRow(system: System, { days, ...columns }: NewInvite): { row: InviteRow; secret: string } {
  const secret = Buffer.from(system.randomBytes(32)).toString('base64url')
  const now = system.now()
  const times = { created_at: now, expires_at: now + days * dayMs }
  return { row: { id: system.newId('invite'), sha256: sha256Of(secret), ...columns, ...times }, secret }
}

function present(row: InviteRow): Invite {
  return {
    id: row.id,
    role: row.role === 'admin' ? 'admin' : 'member',
    email: row.email,
    workspaceIds: JSON.parse(row.workspace_ids_json) as string[],
    usesLeft: row.uses_left,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

import { hashPassword as hashWithScrypt, verifyPassword as verifyWithScrypt } from 'better-auth/crypto'
import type { Kysely } from 'kysely'
import { tablesOf } from '../platform/database/database.ts'
import { type Events, makeEvents } from '../platform/events/events.ts'
import type { Api } from '../platform/http/api.ts'
import type { AllowedHosts } from '../platform/http/origins.ts'
import type { Platform } from '../platform/platform.ts'
import type { AuditTables } from './audit/audit.table.ts'
import { type Audit, makeAudit } from './audit/audit.ts'
import { auditKeyPurpose, makeAuditHeadFile } from './audit/audit-head-file.ts'
import { inviteRoutes, linkRoutes } from './invites/invites.routes.ts'
import { makeInviteStore } from './invites/invites.store.ts'
import type { InviteTables } from './invites/invites.table.ts'
import { type JoinWorkspaces, makeInvites } from './invites/invites.usecases.ts'
import type { LeavingPart } from './leaving/belongings.ts'
import { leavingRoutes } from './leaving/leaving.routes.ts'
import type { LeavingTables } from './leaving/leaving.table.ts'
import { type Leaving, makeLeaving } from './leaving/leaving.usecases.ts'
import { makeOwnershipStore } from './leaving/ownership.store.ts'
import { makeOwnership, type Ownership } from './leaving/ownership.usecases.ts'
import { makeOidcStore } from './oidc/oidc.store.ts'
import type { OidcTables } from './oidc/oidc.table.ts'
import { makeOidc, type Oidc, type OidcPorts } from './oidc/oidc.ts'
import type { WorkspaceRoles } from './oidc/oidc-mapping.ts'
import { makeBrowserCookie } from './passkeys/browser-cookie.ts'
import { makeChallenges } from './passkeys/challenges.ts'
import { passkeyOriginOf, passkeyRoutes, passkeySignInRoutes } from './passkeys/passkeys.routes.ts'
import { makePasskeyStore } from './passkeys/passkeys.store.ts'
import type { PasskeyTables } from './passkeys/passkeys.table.ts'
import { makePasskeys } from './passkeys/passkeys.usecases.ts'
import type { PeopleEvents } from './people.events.ts'
import { quotaRoutes } from './quotas/quotas.routes.ts'
import { makeQuotaStore } from './quotas/quotas.store.ts'
import type { QuotaTables } from './quotas/quotas.table.ts'
import { type MeteredQuota, makeQuotas, type Quotas } from './quotas/quotas.usecases.ts'
import { makeRequestRates, type RequestRates } from './quotas/request-rates.ts'
import type { SettingTables } from './settings/settings.table.ts'
import { type FixedSetting, makeSettings, type Settings } from './settings/settings.ts'
import { makeApiKeyStore } from './users/api-keys.store.ts'
import { makeApiKeys, type RequireWorkspace } from './users/api-keys.usecases.ts'
import { type AttemptLimit, makeAttemptLimit } from './users/attempt-limit.ts'
import type { AttemptTables } from './users/attempts.table.ts'
import { type AuthenticationOptions, authenticationOf } from './users/authentication.middleware.ts'
import { makeCredentialCheck } from './users/credential-check.store.ts'
import type { CredentialCheck } from './users/credential-check.ts'
import { type Devices, makeDevices } from './users/device-cookie.ts'
import { makeKeptCookies } from './users/kept-cookies.ts'
import { type HashPassword, type Login, makeLogin, sessionCookieName } from './users/login.ts'
import { makeOutsideSignIn } from './users/outside-sign-in.ts'
import { makeOwnerToken } from './users/owner-token.ts'
import { makePasswordCheck, type VerifyPassword } from './users/password-check.ts'
import { peopleRoutes } from './users/people.routes.ts'
import { type LacksPasskey, makePeopleAdministration, type PeopleAdministration } from './users/people.usecases.ts'
import { makeStartSession } from './users/session-start.ts'
import { makeUserHub, type UserHub } from './users/user-hub.ts'
import { accountRoutes, type ConfirmWithPasskey, signInRoutes } from './users/users.routes.ts'
import { makeUserStore, type UserStore } from './users/users.store.ts'
import type { UserTables } from './users/users.table.ts'
import { makeUsers, type Users } from './users/users.usecases.ts'
import { makeWaysIn } from './users/ways-in.ts'

/** The window in which attempts are counted, and the most counters that are kept. */
const attemptWindow = { windowMs: 15 * 60_000, maxKeys: 10_000 }

/** The users of the installation, and the settings of its owner. */
export type People = {
  audit: Audit
  settings: Settings
  events: Pick<Events<PeopleEvents>, 'on'>
  users: Users
  userHub: UserHub
  quotas: Quotas
  /** Adds what counts how much of a quota a person uses. */
  addMeter(meter: MeteredQuota): void
  /** Adds what one feature stores of people who leave. */
  addLeaving(part: LeavingPart): void
  leaving: Leaving
  login: Login
  authentication: AuthenticationOptions
  /** Returns whether the caller's session or key is still valid. */
  holds: CredentialCheck
  /** Sets what decides whether a key can be limited to a workspace. */
  setWorkspaceCheck(require: RequireWorkspace): void
  /** Sets what decides whether a person manages a workspace, and what makes people members of it. */
  setWorkspaceInvites(invites: WorkspaceInvites): void
  /** Signing in at providers; its routes are among the others. */
  oidc: Pick<Oidc, 'rechecks' | 'stop' | 'pages'>
  signInRoutes: Api[]
  routes: Api[]
}

export type WorkspaceInvites = WorkspaceRoles & {
  /** Throws unless the user manages the workspace. */
  requireManaged(userId: string, workspaceId: string): Promise<void>
  join: JoinWorkspaces
}

type PeopleOptions = {
  hosts: AllowedHosts
  connectionSettings: Parameters<typeof makeOidc>[2]['connectionSettings']
  hashPassword?: HashPassword
  verifyPassword?: VerifyPassword
  ownerTokenFile: string
  auditHeadFile: string
  fixedSettings: readonly FixedSetting[]
}

export function makePeople(
  platform: Pick<
    Platform,
    'open' | 'registrations' | 'system' | 'logger' | 'keyFor' | 'operations' | 'secretBox' | 'secrets'
  >,
  options: PeopleOptions,
): People {
  const { open, registrations, system } = platform
  const { hosts } = options
  const records = makeRecords(platform, options)
  const { events, audit, settings } = records
  const accounts = makeAccounts(platform, options, records)
  const { login, keptCookies, outside, userTables, userStore, attempts, administration, users, waysIn, passkeys } =
    accounts
  const workspaceCheck = registrations.one<RequireWorkspace>('people.setWorkspaceCheck')
  const apiKeys = makeApiKeys({
    store: makeApiKeyStore(userTables),
    requireWorkspace: (userId, workspaceId) => workspaceCheck.get()(userId, workspaceId),
    audit,
    system,
  })
  const inviteStore = makeInviteStore(tablesOf<InviteTables>(open.database))
  const workspaceInvites = registrations.one<WorkspaceInvites>('people.setWorkspaceInvites')
  const invites = makeInvites({
    users,
    administration,
    attempts,
    audit,
    system,
    store: inviteStore,
    ...fromWorkspaces(workspaceInvites.get),
  })
  const { quotas, addMeter, rates } = makeQuotasFor(platform, { administration, settings, audit })
  const holds = makeCredentialCheck(userTables)
  const ports = { people: outside, administration, invites, presets: quotas.presets, attempts, audit, waysIn, users }
  const workspaces = fromWorkspaces(workspaceInvites.get)
  const isHeld: OidcPorts['holds'] = (session) => holds({ ...session, apiKeyId: null }, system.now())
  const oidc = makeOidc(platform, { ...ports, workspaces, holds: isHeld }, options)
  const userHub = makeUserHub()
  const leavingParts = registrations.list<LeavingPart>('people.addLeaving')
  const { leaving, ownership } = makeLeavingFor(platform, {
    userStore,
    administration,
    parts: leavingParts.entries,
    forget: inviteStore.removeBy,
    audit,
    userHub,
  })
  return {
    audit,
    settings,
    events,
    users,
    userHub,
    addLeaving: leavingParts.add,
    leaving,
    quotas,
    addMeter,
    login,
    holds,
    oidc,
    setWorkspaceCheck: workspaceCheck.set,
    authentication: authenticationOf({
      login,
      apiKeys,
      store: userStore,
      now: system.now,
      countRequest: rates.count,
      hosts,
    }),
    setWorkspaceInvites: workspaceInvites.set,
    signInRoutes: [
      signInRoutes({ users, keptCookies }),
      linkRoutes({ invites }),
      passkeys.signInRoutes,
      oidc.publicRoutes,
    ],
    routes: [
      accountRoutes({ users, apiKeys, keptCookies, confirmWithPasskey: passkeys.confirm }),
      passkeys.routes,
      peopleRoutes({ administration }),
      inviteRoutes({ invites }),
      quotaRoutes({ quotas }),
      oidc.routes,
      leavingRoutes({ leaving, ownership }),
    ],
  }
}

/** What happens, what is recorded of it, and the settings. */
function makeRecords(
  { open, system, logger, keyFor }: Pick<Platform, 'open' | 'system' | 'logger' | 'keyFor'>,
  given: { auditHeadFile: string; fixedSettings: readonly FixedSetting[] },
) {
  const passkeyStore = makePasskeyStore(tablesOf<PasskeyTables>(open.database))
  const events = makeEvents<PeopleEvents>(logger)
  const auditKey = keyFor(auditKeyPurpose)
  const audit = makeAudit({
    database: tablesOf<AuditTables>(open.database),
    system,
    key: auditKey,
    headFile: makeAuditHeadFile(given.auditHeadFile, auditKey),
    onRecord: ({ action, details }) =>
      void events.emit('audited', { action, isThroughProvider: details?.provider !== undefined }),
  })
  const hasPasskey = async (userId: string) => (await passkeyStore.list(userId)).length > 0
  const database = tablesOf<SettingTables>(open.database)
  const settings = makeSettings({ database, fixed: given.fixedSettings, hasPasskey, audit, events, system })
  return { events, audit, settings, passkeyStore, lacksPasskey: makeLacksPasskey({ settings, hasPasskey }) }
}

/** Accounts, and the ways to sign in to them. */
function makeAccounts(
  platform: Pick<Platform, 'open' | 'system' | 'logger' | 'keyFor'>,
  options: PeopleOptions,
  { events, audit, passkeyStore, lacksPasskey }: ReturnType<typeof makeRecords>,
) {
  const { open, system, keyFor } = platform
  const { hosts, hashPassword = hashWithScrypt, verifyPassword = verifyWithScrypt } = options
  const userTables = tablesOf<UserTables>(open.database)
  const userStore = makeUserStore(userTables)
  const signIn = makeSignIn(platform, { hosts, hashPassword, userStore })
  const attempts = makeAttempts(tablesOf<AttemptTables>(open.database), { keyFor, now: system.now })
  const administration = makePeopleAdministration({ store: userStore, lacksPasskey, events, audit, system })
  const users = makeUsers({
    ...signIn,
    store: userStore,
    roleOf: administration.roleOf,
    lacksPasskey,
    hashPassword,
    ownerToken: makeOwnerToken(options.ownerTokenFile),
    attempts,
    isRightPassword: makePasswordCheck({ hashOf: userStore.passwordHash, hash: hashPassword, verify: verifyPassword }),
    audit,
    system,
  })
  const waysIn = makeWaysIn({
    hasPassword: signIn.outside.hasPassword,
    passkeys: passkeyStore.list,
    identities: makeOidcStore(tablesOf<OidcTables>(open.database)).identities.ofPerson,
  })
  const passkeys = makePasskeyRoutes(
    { store: passkeyStore, users, startSession: signIn.startSession, waysIn, attempts, audit, system },
    hosts,
  )
  return { ...signIn, userTables, userStore, attempts, administration, users, waysIn, passkeys }
}

/** The limits of people, and those that are counted here. */
function makeQuotasFor(
  { open, registrations, system }: Pick<Platform, 'open' | 'registrations' | 'system'>,
  known: { administration: PeopleAdministration; settings: Settings; audit: Audit },
): { quotas: Quotas; addMeter: People['addMeter']; rates: RequestRates } {
  const meters = registrations.list<MeteredQuota>('people.addMeter')
  const rates = makeRequestRates({
    limitOf: async (userId) => (await quotas.limits(userId)).apiRequestsPerSecond,
    elapsedMs: () => performance.now(),
  })
  const quotas = makeQuotas({
    store: makeQuotaStore(tablesOf<QuotaTables>(open.database)),
    people: known.administration,
    meters: () => [rates.meter, ...meters.entries()],
    timeZone: async () => (await known.settings.values()).timeZone,
    audit: known.audit,
    system,
  })
  return { quotas, addMeter: meters.add, rates }
}

/** People who leave, and a new owner. */
function makeLeavingFor(
  { open, operations, system }: Pick<Platform, 'open' | 'operations' | 'system'>,
  known: {
    userStore: UserStore
    administration: PeopleAdministration
    parts: () => readonly LeavingPart[]
    forget(userId: string): Promise<void>
    audit: Audit
    userHub: UserHub
  },
): { leaving: Leaving; ownership: Ownership } {
  const { userStore, administration, parts, forget, audit, userHub } = known
  const onChanged = () => userHub.broadcast({ type: 'status-updated' })
  const shared = { operations, audit, system, onChanged }
  const ownershipStore = makeOwnershipStore(tablesOf<LeavingTables & UserTables>(open.database))
  return {
    leaving: makeLeaving({ ...shared, store: userStore, administration, parts, forget }),
    ownership: makeOwnership({ ...shared, store: ownershipStore, people: userStore }),
  }
}

/** Sessions, the devices that are known, and the cookies that survive a restart. */
function makeSignIn(
  { open, system, logger, keyFor }: Pick<Platform, 'open' | 'system' | 'logger' | 'keyFor'>,
  given: { hosts: AllowedHosts; hashPassword: HashPassword; userStore: UserStore },
) {
  const { hosts, hashPassword, userStore } = given
  const { installation } = hosts
  const isSecure = hosts.publicUrl.startsWith('https:')
  const secret = keyFor('threadbox sessions v1').toString('base64url')
  const devices = makeDevicesFor({ keyFor, system, isSecure, installation })
  const login = makeLogin({ open, system, secret, installation, isSecure, logger, hashPassword })
  const cookie = { name: sessionCookieName({ installation, isSecure }), isSecure }
  const startSession = makeStartSession({ login, store: userStore, devices, cookie })
  return {
    login,
    devices,
    startSession,
    outside: makeOutsideSignIn({ login, store: userStore, startSession }),
    keptCookies: makeKeptCookies({
      ...cookie,
      devices,
      emailOf: async (userId) => (await userStore.find(userId))?.email,
      now: system.now,
      randomBytes: system.randomBytes,
    }),
  }
}

/** What workspaces decide of invites; they are set after people. */
function fromWorkspaces(get: () => WorkspaceInvites) {
  return {
    requireManagedWorkspace: (userId: string, workspaceId: string) => get().requireManaged(userId, workspaceId),
    joinWorkspaces: (...order: Parameters<JoinWorkspaces>) => get().join(...order),
    roleOf: (...order: Parameters<WorkspaceRoles['roleOf']>) => get().roleOf(...order),
    assign: (...order: Parameters<WorkspaceRoles['assign']>) => get().assign(...order),
  }
}

function makeAttempts(
  database: Kysely<AttemptTables>,
  { keyFor, now }: { keyFor: Platform['keyFor']; now: () => number },
): AttemptLimit {
  return makeAttemptLimit({ ...attemptWindow, database, secret: keyFor('threadbox attempts v1'), now })
}

function makeDevicesFor(options: {
  keyFor: Platform['keyFor']
  system: Platform['system']
  isSecure: boolean
  installation: string
}): Devices {
  const { keyFor, system, ...site } = options
  const secret = keyFor('threadbox devices v1')
  return makeDevices({ ...site, secret, now: system.now, randomBytes: system.randomBytes })
}

function makeLacksPasskey(parts: {
  settings: Settings
  hasPasskey: (userId: string) => Promise<boolean>
}): LacksPasskey {
  return async (userId, role) =>
    role !== 'member' &&
    (await parts.settings.values()).adminPasskeys === 'required' &&
    !(await parts.hasPasskey(userId))
}

function makePasskeyRoutes(
  parts: Omit<Parameters<typeof makePasskeys>[0], 'challenges'>,
  hosts: AllowedHosts,
): { signInRoutes: Api; routes: Api; confirm: ConfirmWithPasskey } {
  const { store, system } = parts
  const { installation, publicUrl } = hosts
  const isSecure = publicUrl.startsWith('https:')
  const browserCookie = makeBrowserCookie({ installation, isSecure, randomBytes: system.randomBytes })
  const passkeys = makePasskeys({ ...parts, challenges: makeChallenges({ store, browserCookie, system }) })
  const originOf = passkeyOriginOf(hosts)
  return {
    signInRoutes: passkeySignInRoutes({ passkeys, hosts }),
    routes: passkeyRoutes({ passkeys, hosts }),
    confirm: (context, confirmation) => passkeys.confirm({ ...confirmation, origin: originOf(context) }),
  }
}

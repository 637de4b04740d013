import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, ApiContext, ApiEnv } from '../../platform/http/api.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { SecretsInUse } from '../../platform/secrets/secrets-in-use.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { Invites } from '../invites/invites.usecases.ts'
import type { PresetAssignment } from '../quotas/quotas.usecases.ts'
import type { AttemptLimit } from '../users/attempt-limit.ts'
import type { OutsideSignIn } from '../users/outside-sign-in.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import type { Users } from '../users/users.usecases.ts'
import type { WaysIn } from '../users/ways-in.ts'
import { makeIssuers } from './issuer.ts'
import { makeIssuerFetch } from './issuer-fetch.ts'
import { makeLoginCookie } from './login-cookie.ts'
import { oidcPages } from './oidc.pages.ts'
import { providerRoutes, providerSignInRoutes } from './oidc.routes.ts'
import { makeOidcStore } from './oidc.store.ts'
import type { OidcTables } from './oidc.table.ts'
import { makeAdmission } from './oidc-admission.ts'
import { makeIdentityEnd, makeOwnIdentities } from './oidc-identities.usecases.ts'
import { makeOidcLogout } from './oidc-logout.ts'
import { makeMapping, type WorkspaceRoles } from './oidc-mapping.ts'
import { makeProviders } from './oidc-providers.usecases.ts'
import { makeRechecks, type Rechecks } from './oidc-recheck.ts'
import { makeOidcSessionStore } from './oidc-sessions.store.ts'
import { makeOidcSignIn, stateLifetimeMs } from './oidc-sign-in.usecases.ts'

/** Signing in at providers (OpenID Connect). */
export type Oidc = {
  publicRoutes: Api
  routes: Api
  pages: Hono<ApiEnv>
  rechecks: Pick<Rechecks, 'start' | 'run'>
  stop(): Promise<void>
}

export type OidcPorts = {
  people: OutsideSignIn
  administration: PeopleAdministration
  invites: Pick<Invites, 'redeem'>
  workspaces: WorkspaceRoles
  presets: PresetAssignment
  holds(session: { userId: string; sessionId: string }): Promise<boolean>
  attempts: AttemptLimit
  waysIn: WaysIn
  users: Pick<Users, 'markConfirmed'>
  audit: Audit
}

type OidcPlatform = {
  open: OpenDatabase
  secretBox: SecretBox
  secrets: Pick<SecretsInUse, 'addHolder'>
  system: System
  logger: Logger
}

/** Longest wait for a response while a person sees an empty page. */
const maxTimeoutSeconds = 10

export function makeOidc(
  platform: OidcPlatform,
  ports: OidcPorts,
  options: { hosts: AllowedHosts; connectionSettings: { connectionsAllow: string; connectionSeconds: number } },
): Oidc {
  const { secretBox, system, logger } = platform
  const { people, administration, audit, attempts } = ports
  const { hosts, connectionSettings } = options
  const database = tablesOf<OidcTables>(platform.open.database)
  const [store, sessions] = [makeOidcStore(database), makeOidcSessionStore(database)]
  const timeoutSeconds = Math.min(connectionSettings.connectionSeconds, maxTimeoutSeconds)
  const { fetch, guard } = makeIssuerFetch({
    allowed: connectionSettings.connectionsAllow,
    timeoutMs: timeoutSeconds * 1000,
  })
  const issuers = makeIssuers({ fetch, timeoutSeconds, now: system.now })
  const { workspaces, presets } = ports
  const mapping = makeMapping({ grants: store.grants, people: administration, workspaces, presets, audit })
  const admission = makeAdmission({
    store,
    people,
    roles: administration,
    invites: ports.invites,
    mapping,
    audit,
    system,
  })
  const shared = { store, sessions, issuers, people, secretBox, audit, system }
  const endIdentity = makeIdentityEnd({ ...shared, mapping })
  const isSecure = hosts.publicUrl.startsWith('https:')
  const cookie = makeLoginCookie({ installation: hosts.installation, isSecure, lifetimeMs: stateLifetimeMs })
  const signIn = makeOidcSignIn({ ...shared, admission, users: ports.users, holds: ports.holds, cookie, attempts })
  const providers = makeProviders({ ...shared, people: administration, endIdentity })
  const identities = makeOwnIdentities({ ...shared, waysIn: ports.waysIn, endIdentity })
  platform.secrets.addHolder(async () =>
    [
      ...(await store.providers.list()).flatMap(({ sealed_secret }) => (sealed_secret === null ? [] : [sealed_secret])),
      ...(await sessions.sealedTokens()),
    ].map((sealed) => secretBox.open(sealed)),
  )
  const rechecks = makeRechecks({ ...shared, admission, logger })
  const appOrigin = (context: ApiContext) => appOriginOf(hosts, context)
  return {
    publicRoutes: providerSignInRoutes({ signIn, providers, appOrigin }),
    routes: providerRoutes({ signIn, providers, identities, appOrigin }),
    pages: oidcPages({ signIn, logout: makeOidcLogout({ ...shared, attempts }) }),
    rechecks,
    stop: async () => {
      await rechecks.stop()
      await guard[Symbol.asyncDispose]()
    },
  }
}

/** The app’s own address: the public URL, or else the name that the browser used, which the guard has checked. */
function appOriginOf({ publicUrl }: AllowedHosts, context: ApiContext): string {
  if (publicUrl !== '') return new URL(publicUrl).origin
  return `http://${context.req.header('host') ?? new URL(context.req.url).host}`
}

import { networkOf } from '../../platform/http/client-address.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { AttemptLimit } from '../users/attempt-limit.ts'
import type { OutsideSignIn } from '../users/outside-sign-in.ts'
import { logoutRefused } from './issuer.errors.ts'
import type { IssuerLogout, Issuers } from './issuer.ts'
import { providerNotFound } from './oidc.errors.ts'
import type { OidcStore } from './oidc.store.ts'
import { clientOf } from './oidc-providers.usecases.ts'
import type { OidcSessionStore } from './oidc-sessions.store.ts'

/** Ends sessions when an issuer reports that a person has signed out there (OpenID Connect Back-Channel Logout 1.0). */
export type OidcLogout = {
  /** Throws `sign-in.logout-refused`, `sign-in.provider-not-found`, `auth.too-many-attempts`, and what issuers throw. */
  receive(providerId: string, token: string, from: { address: string }): Promise<void>
}

/** Tokens that one network can send in a window without one being accepted. */
const maxRefused = 300

export function makeOidcLogout(dependencies: {
  store: Pick<OidcStore, 'providers' | 'identities'>
  sessions: Pick<OidcSessionStore, 'useLogoutToken' | 'ofIdentity' | 'ofProviderSession'>
  issuers: Pick<Issuers, 'readLogout'>
  people: Pick<OutsideSignIn, 'endSessions'>
  attempts: AttemptLimit
  secretBox: SecretBox
  audit: Pick<Audit, 'record'>
  system: System
}): OidcLogout {
  const { store, sessions, attempts, audit, system } = dependencies
  const sessionsOf = async (providerId: string, { issuer, subject, sid }: IssuerLogout) => {
    if (subject === null) return { userId: null, ids: await sessions.ofProviderSession(providerId, sid ?? '') }
    const identity = await store.identities.find(issuer, subject)
    if (identity === undefined || identity.provider_id !== providerId) return { userId: null, ids: [] }
    return { userId: identity.user_id, ids: await sessions.ofIdentity(identity.id, sid ?? undefined) }
  }
  return {
    receive: async (providerId, token, { address }) => {
      const attempt = await attempts.take(`logout ${networkOf(address)}`, maxRefused)
      const provider = await store.providers.find(providerId)
      if (provider === undefined) throw providerNotFound({})
      const logout = await dependencies.issuers.readLogout(clientOf(provider, dependencies.secretBox), token)
      const until = { now: system.now(), expiresAt: logout.expiresAt }
      const isNew = await sessions.useLogoutToken(sha256Of(JSON.stringify([logout.issuer, logout.tokenId])), until)
      if (!isNew) throw logoutRefused({ problem: 'it was used before.' })
      await attempts.giveBack(attempt)
      const { userId, ids } = await sessionsOf(provider.id, logout)
      await dependencies.people.endSessions(ids)
      const details = { provider: provider.name, code: 'logout', sessions: ids.length }
      if (ids.length > 0) await audit.record({ userId: null, action: 'sessions-ended', subject: userId, details })
    },
  }
}

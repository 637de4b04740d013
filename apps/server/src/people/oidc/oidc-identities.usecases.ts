import type { Identities } from '@threadbox/protocol/public'
import type { Audit } from '../audit/audit.ts'
import type { OutsideSignIn } from '../users/outside-sign-in.ts'
import type { WaysIn } from '../users/ways-in.ts'
import { identityNotFound } from './oidc.errors.ts'
import type { OidcStore } from './oidc.store.ts'
import type { OidcIdentityRow } from './oidc.table.ts'
import type { Mapping } from './oidc-mapping.ts'
import type { OidcSessionStore } from './oidc-sessions.store.ts'

/** The accounts at providers with which a person signs in. */
export type OwnIdentities = {
  list(userId: string): Promise<Identities>
  /** Signs out what was signed in with it. Throws `sign-in.identity-not-found` and `sign-in.last-way`. */
  disconnect(userId: string, identityId: string): Promise<void>
}

/** Ends what an account at a provider gave: its sessions, and what its groups gave. */
export type IdentityEnd = (identity: OidcIdentityRow) => Promise<void>

export function makeIdentityEnd(dependencies: {
  store: Pick<OidcStore, 'identities'>
  sessions: Pick<OidcSessionStore, 'ofIdentity'>
  mapping: Mapping
  people: Pick<OutsideSignIn, 'endSessions'>
}): IdentityEnd {
  const { store, sessions, mapping, people } = dependencies
  return async (identity) => {
    await people.endSessions(await sessions.ofIdentity(identity.id))
    await mapping(identity, [], { claim: null, source: 'id-token', mappings: [] })
    await store.identities.remove(identity.id)
  }
}

export function makeOwnIdentities(dependencies: {
  store: Pick<OidcStore, 'identities' | 'providers'>
  people: Pick<OutsideSignIn, 'hasPassword'>
  waysIn: WaysIn
  endIdentity: IdentityEnd
  audit: Pick<Audit, 'record'>
}): OwnIdentities {
  const { store, people, waysIn, audit } = dependencies
  return {
    list: async (userId) => {
      const names = new Map((await store.providers.list()).map(({ id, name }) => [id, name]))
      const identities = (await store.identities.ofPerson(userId)).map((row) => ({
        id: row.id,
        providerId: row.provider_id,
        providerName: names.get(row.provider_id) ?? '',
        email: row.email,
        createdAt: row.created_at,
        usedAt: row.used_at,
      }))
      return { identities, hasPassword: await people.hasPassword(userId) }
    },
    disconnect: async (userId, identityId) => {
      const identity = (await store.identities.ofPerson(userId)).find(({ id }) => id === identityId)
      if (identity === undefined) throw identityNotFound({})
      await waysIn.remove(userId, () => dependencies.endIdentity(identity))
      const details = { provider: identity.provider_id }
      await audit.record({ userId, action: 'identity-disconnected', subject: userId, details })
    },
  }
}

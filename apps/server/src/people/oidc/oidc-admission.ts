import type { ProviderJoin } from '@threadbox/protocol/public'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { Invites } from '../invites/invites.usecases.ts'
import type { OutsideSignIn } from '../users/outside-sign-in.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import { groupsIn, profileOf } from './claims.logic.ts'
import type { IssuerAnswer } from './issuer.ts'
import {
  accountProtected,
  domainRefused,
  emailMissing,
  emailOfOther,
  emailUnverified,
  groupMissing,
  identityTaken,
  inviteNeeded,
  joinClosed,
} from './oidc.errors.ts'
import type { OidcStore } from './oidc.store.ts'
import type { OidcIdentityRow, OidcProviderRow } from './oidc.table.ts'
import type { Mapping } from './oidc-mapping.ts'
import { type ProviderSettings, settingsOf } from './oidc-providers.logic.ts'
import type { Purpose } from './purpose.ts'

/** Decides who a person is here that a provider has identified, and what their groups give them. */
export type Admission = {
  /** Throws the refusals of `oidc.errors.ts`, those of invites, and those of groups. */
  admit(arrival: Arrival): Promise<OidcIdentityRow>
  /** Applies the groups of a person who is signed in. Throws `sign-in.group-missing` and those of groups. */
  review(identity: OidcIdentityRow, arrival: Omit<Arrival, 'purpose'>): Promise<void>
}
type Arrival = { provider: OidcProviderRow; answer: IssuerAnswer; purpose: Purpose }

export type AdmissionDependencies = {
  store: Pick<OidcStore, 'identities'>
  people: Pick<OutsideSignIn, 'personWith' | 'addPerson'>
  roles: Pick<PeopleAdministration, 'roleOf'>
  invites: Pick<Invites, 'redeem'>
  mapping: Mapping
  audit: Pick<Audit, 'record'>
  system: System
}

export function makeAdmission(dependencies: AdmissionDependencies): Admission {
  const { store, mapping, system } = dependencies
  const applyGroups = async (identity: OidcIdentityRow, groups: string[] | undefined, settings: ProviderSettings) => {
    if (groups !== undefined) await mapping(identity, groups, settings.groups)
  }
  return {
    admit: async (arrival) => {
      const settings = settingsOf(arrival.provider)
      const profile = profileOf({ ...arrival.answer.userinfo, ...arrival.answer.idToken })
      const groups = groupsOf(arrival.answer, settings) ?? (settings.groups.claim === null ? undefined : [])
      requireGroup(settings.join, groups)
      const identity = await identityFor(dependencies, { ...arrival, settings, profile })
      await store.identities.touch(identity.id, { used_at: system.now(), email: profile.email })
      await applyGroups(identity, groups, settings)
      return identity
    },
    review: async (identity, { provider, answer }) => {
      const settings = settingsOf(provider)
      const groups = groupsOf(answer, settings)
      if (groups === undefined) return
      requireGroup(settings.join, groups)
      await applyGroups(identity, groups, settings)
    },
  }
}

/** Undefined: groups are not read, or the issuer did not send what they are in, as when it renews only an access token. */
function groupsOf({ idToken, userinfo }: IssuerAnswer, { groups }: ProviderSettings): string[] | undefined {
  const claims = groups.source === 'userinfo' ? userinfo : (idToken ?? userinfo)
  return groups.claim === null || claims === null ? undefined : groupsIn(claims, groups.claim)
}

/** With the rule `group`, it is needed at each sign-in, not only at the first. */
function requireGroup({ rule, group }: ProviderJoin, groups: readonly string[] | undefined): void {
  if (rule === 'group' && !(groups ?? []).includes(group ?? '')) throw groupMissing({})
}

type Case = Arrival & { settings: ProviderSettings; profile: ReturnType<typeof profileOf> }

async function identityFor(dependencies: AdmissionDependencies, arrival: Case): Promise<OidcIdentityRow> {
  const { answer, purpose } = arrival
  const known = await dependencies.store.identities.find(answer.issuer, answer.subject)
  if (purpose.kind === 'connect') {
    if (known !== undefined && known.user_id !== purpose.userId) throw identityTaken({})
    return known ?? (await connect(dependencies, arrival, purpose.userId))
  }
  if (purpose.kind === 'link') return await withLink(dependencies, arrival, { known, sha256: purpose.sha256 })
  if (known !== undefined) return known
  return await connect(dependencies, arrival, await personOf(dependencies, arrival))
}

/** An invite is not used up by a person who is here already. */
async function withLink(
  dependencies: AdmissionDependencies,
  arrival: Case,
  { known, sha256 }: { known: OidcIdentityRow | undefined; sha256: string },
): Promise<OidcIdentityRow> {
  if (known !== undefined) return known
  const { profile, settings } = arrival
  if (settings.join.rule === 'closed') throw joinClosed({})
  const add = async () => {
    const { id } = (profile.email !== null && (await dependencies.people.personWith(profile.email))) || { id: null }
    if (id !== null) throw emailOfOther({})
    return await addPerson(dependencies, arrival)
  }
  const { userId } = await dependencies.invites.redeem(sha256, { email: profile.email, add })
  return await connect(dependencies, arrival, userId)
}

/** The person with the verified address, or a new one if the rule lets them join. */
async function personOf(dependencies: AdmissionDependencies, arrival: Case): Promise<string> {
  const { profile, settings } = arrival
  const existing = profile.email === null ? undefined : await dependencies.people.personWith(profile.email)
  if (existing !== undefined) {
    if (!profile.isVerified) throw emailUnverified({})
    if (!settings.linkByVerifiedEmail) throw emailOfOther({})
    if ((await dependencies.roles.roleOf(existing.id)) !== 'member') throw accountProtected({})
    return existing.id
  }
  const { rule, domains } = settings.join
  if (rule === 'closed') throw joinClosed({})
  if (rule === 'invited') throw inviteNeeded({})
  if (rule === 'domains') {
    if (profile.email === null) throw emailMissing({})
    if (!profile.isVerified) throw emailUnverified({})
    const domain = profile.email.slice(profile.email.lastIndexOf('@') + 1)
    if (!domains.includes(domain)) throw domainRefused({})
  }
  const userId = await addPerson(dependencies, arrival)
  const details = { provider: arrival.provider.name, role: 'member' }
  await dependencies.audit.record({ userId, action: 'person-joined', subject: userId, details })
  return userId
}

async function addPerson({ people }: AdmissionDependencies, { profile }: Case): Promise<string> {
  const { email, isVerified } = profile
  if (email === null) throw emailMissing({})
  const name = profile.name ?? email.slice(0, email.lastIndexOf('@')).slice(0, 80)
  return await people.addPerson({ name, email, isVerified })
}

/** Another request may have connected the same account of the issuer: only one can. */
async function connect(
  { store, audit, system }: AdmissionDependencies,
  { provider, answer, profile }: Case,
  userId: string,
): Promise<OidcIdentityRow> {
  const now = system.now()
  const row: OidcIdentityRow = {
    id: system.newId('identity'),
    provider_id: provider.id,
    issuer: answer.issuer,
    subject: answer.subject,
    user_id: userId,
    email: profile.email,
    created_at: now,
    used_at: now,
  }
  await store.identities.insert(row).catch((error: unknown) => {
    throw isUniqueViolation(error) ? identityTaken({}) : error
  })
  await audit.record({ userId, action: 'identity-connected', subject: userId, details: { provider: provider.name } })
  return row
}

import { canManagePerson, isPersonRole, type PersonRole } from '@threadbox/domain'
import type { People, Person, UpdatePerson } from '@threadbox/protocol/public'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import { auditChange } from '../audit/audit-changes.logic.ts'
import type { PeopleEvents } from '../people.events.ts'
import { ownerRequired } from '../settings/settings.errors.ts'
import { passkeyRequired, personBeingErased, personNotFound, personProtected } from './users.errors.ts'
import type { PersonRecord, UserStore } from './users.store.ts'

/** The people of the installation, and what its owner and admins can do with them. */
export type PeopleAdministration = {
  /** Email addresses are for the owner, admins and each person’s own. */
  list(userId: string): Promise<People>
  roleOf(userId: string): Promise<PersonRole>
  /** Throws `auth.owner-required`, `auth.passkey-required`. */
  requireAdministrator(userId: string): Promise<{ id: string; role: PersonRole }>
  /**
   * Throws unless this user can manage that person, or with a null id a person with this role: `auth.owner-required`,
   * `person.not-found`, `person.protected`.
   */
  requireManaged(userId: string, person: { id: string } | { id: null; role: PersonRole }): Promise<void>
  /** Throws as `requireManaged`. A disabled person is signed out everywhere within 5 s, and their keys stop working. */
  update(userId: string, personId: string, change: UpdatePerson): Promise<Person>
  /** Signs the person out everywhere within 5 s. Does nothing if the account is disabled already. */
  disable(personId: string): Promise<void>
  /** For a person who has just joined, or whose groups at a provider say so. */
  setRole(personId: string, role: 'admin' | 'member'): Promise<void>
  /** Whether `update` has set the role. */
  isRoleByHand(personId: string): Promise<boolean>
}

/** Whether the installation requires a passkey of people with this role, and this person has none. */
export type LacksPasskey = (userId: string, role: PersonRole) => Promise<boolean>

export function makePeopleAdministration(dependencies: {
  store: UserStore
  lacksPasskey: LacksPasskey
  events: Pick<Events<PeopleEvents>, 'emit'>
  audit: Audit
  system: System
}): PeopleAdministration {
  const { store, audit, system } = dependencies
  const roleOf = async (userId: string) => roleIn(await store.person(userId))
  const requireAdministrator: PeopleAdministration['requireAdministrator'] = async (userId) => {
    const role = await roleOf(userId)
    if (role === 'member') throw ownerRequired({})
    if (await dependencies.lacksPasskey(userId, role)) throw passkeyRequired({})
    return { id: userId, role }
  }
  const requireManaged: PeopleAdministration['requireManaged'] = async (userId, person) => {
    const { role } = await requireAdministrator(userId)
    const other = person.id === null ? person.role : await knownRole(store, person.id)
    if (!canManagePerson(role, other)) throw personProtected({ role: other })
  }
  const one = async (personId: string, isShown: boolean) => {
    const record = await store.person(personId)
    if (record === undefined) throw personNotFound({})
    return present(record, isShown)
  }
  const disable: PeopleAdministration['disable'] = async (personId) => {
    const isEnabled = (await store.person(personId))?.disabledAt === null
    // Recorded first, so that neither a new session nor a key can appear after the others have ended.
    if (isEnabled) await store.setDisabled(personId, system.now())
    await store.endSessions(personId)
    if (isEnabled) await dependencies.events.emit('person-disabled', { userId: personId })
  }
  return {
    roleOf,
    disable,
    requireAdministrator,
    requireManaged,
    list: async (userId) => {
      const isAdministrator = (await roleOf(userId)) !== 'member'
      const people = await store.people()
      return { people: people.map((record) => present(record, isAdministrator || record.id === userId)) }
    },
    update: async (userId, personId, change) => {
      await requireManaged(userId, { id: personId })
      if (change.role !== undefined) await requireManaged(userId, { id: null, role: change.role })
      const before = await one(personId, true)
      if (before.isBeingErased && change.isDisabled === false) throw personBeingErased({})
      if (change.role !== undefined) await store.setPersonRole(personId, change.role, true)
      if (change.isDisabled === false) await store.setDisabled(personId, null)
      if (change.isDisabled === true) await disable(personId)
      const after = await one(personId, true)
      const values = auditChange(stateOf(before), stateOf(after))
      await audit.record({ userId, action: 'person-changed', subject: personId, ...values })
      return after
    },
    setRole: (personId, role) => store.setPersonRole(personId, role, false),
    isRoleByHand: store.isRoleByHand,
  }
}

async function knownRole(store: Pick<UserStore, 'person'>, personId: string): Promise<PersonRole> {
  const record = await store.person(personId)
  if (record === undefined) throw personNotFound({})
  return roleIn(record)
}

function roleIn(record: Pick<PersonRecord, 'role' | 'isOwner'> | undefined): PersonRole {
  if (record?.isOwner === true) return 'owner'
  return record?.role != null && isPersonRole(record.role) && record.role !== 'owner' ? record.role : 'member'
}

function stateOf({ role, isDisabled }: Person) {
  return { role, disabled: isDisabled }
}

function present(record: PersonRecord, isShown: boolean): Person {
  const { id, name, email, disabledAt, erasingAt } = record
  const [isDisabled, isBeingErased] = [disabledAt !== null, erasingAt !== null]
  return { id, name, role: roleIn(record), isDisabled, isBeingErased, email: isShown ? email : null }
}

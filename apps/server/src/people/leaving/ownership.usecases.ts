import type { OwnershipOffer } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import { ownerRequired } from '../settings/settings.errors.ts'
import type { UserStore } from '../users/users.store.ts'
import { ownershipNotOffered, recipientInvalid } from './leaving.errors.ts'
import type { OwnershipStore } from './ownership.store.ts'

/** How long an offer holds. */
const offerMs = 7 * 24 * 3_600_000

/** The owner offers ownership, and the other person accepts. There is one owner at every moment. */
export type Ownership = {
  /** Null for everyone but the two people. */
  offer(userId: string): Promise<OwnershipOffer>
  /** Throws `auth.owner-required`, `person.recipient-invalid`. Replaces an earlier offer. */
  make(userId: string, personId: string): Promise<OwnershipOffer>
  /** Withdrawn by the owner, or declined by the person. Throws `ownership.not-offered`. */
  withdraw(userId: string): Promise<void>
  /** Throws `ownership.not-offered`. */
  accept(userId: string): Promise<void>
}

export function makeOwnership(dependencies: {
  store: OwnershipStore
  people: Pick<UserStore, 'person'>
  audit: Audit
  system: System
  /** Called when pages should read people again. */
  onChanged(): void
}): Ownership {
  const { store, people, audit, system, onChanged } = dependencies
  const held = async (userId: string) => {
    const row = await store.offer()
    const isTheirs = row !== undefined && (row.user_id === userId || row.offered_by === userId)
    return isTheirs && row.expires_at > system.now() ? row : undefined
  }
  const present = async (userId: string): Promise<OwnershipOffer> => {
    const row = await held(userId)
    if (row === undefined) return { offer: null }
    return { offer: { personId: row.user_id, createdAt: row.created_at, expiresAt: row.expires_at } }
  }
  return {
    offer: present,
    make: async (userId, personId) => {
      const [owner, person] = [await people.person(userId), await people.person(personId)]
      if (owner?.isOwner !== true) throw ownerRequired({})
      if (person === undefined || person.isOwner || person.disabledAt !== null) throw recipientInvalid({})
      const now = system.now()
      const times = { created_at: now, expires_at: now + offerMs }
      await store.putOffer({ id: 1, user_id: personId, offered_by: userId, ...times })
      await audit.record({ userId, action: 'ownership-offered', subject: personId })
      onChanged()
      return await present(userId)
    },
    withdraw: async (userId) => {
      const row = await held(userId)
      if (row === undefined) throw ownershipNotOffered({})
      await store.removeOffer()
      await audit.record({ userId, action: 'ownership-offer-ended', subject: row.user_id })
      onChanged()
    },
    accept: async (userId) => {
      const row = await held(userId)
      const person = await people.person(userId)
      const isAccepted = person?.disabledAt === null && (await store.accept(userId, system.now()))
      if (row === undefined || !isAccepted) throw ownershipNotOffered({})
      const [before, after] = [{ owner: row.offered_by }, { owner: userId }]
      await audit.record({ userId, action: 'ownership-accepted', subject: userId, before, after })
      onChanged()
    },
  }
}

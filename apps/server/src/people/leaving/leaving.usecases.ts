import type { Belongings, BelongingsCounts, PersonalNames } from '@threadbox/protocol/public'
import { z } from 'zod'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import { personNotFound } from '../users/users.errors.ts'
import type { PersonRecord, UserStore } from '../users/users.store.ts'
import type { HandOverOrder, LeavingPart } from './belongings.ts'
import { ownerLeaves, personLeaving, personNotDisabled, recipientInvalid } from './leaving.errors.ts'

export const handOverOperation = 'hand-over'
export const erasePersonOperation = 'erase-person'

/** People who leave: what they have goes to another person, or is erased. Both survive a crash at any point. */
export type Leaving = {
  /** What the person has. Throws as `PeopleAdministration.requireManaged`, unless it is the user’s own. */
  belongings(userId: string, personId: string): Promise<Belongings>
  /**
   * Starts to hand over everything but what is personal, and returns what that is. Throws `person.not-disabled`,
   * `person.recipient-invalid`, `person.leaving`, and as `requireManaged`.
   */
  handOver(userId: string, order: { personId: string; to: string }): Promise<Belongings>
  /** Starts to hand over one thread. The caller has checked permissions. Throws `person.recipient-invalid`. */
  handOverThread(userId: string, order: { threadId: string; from: string; to: string }): Promise<void>
  /**
   * Starts to erase the account and everything that is the person’s. Throws `person.not-disabled`, `person.leaving`,
   * `person.owner-leaves`, and as `requireManaged` unless it is the user’s own.
   */
  erase(userId: string, personId: string): Promise<Belongings>
}

type LeavingDependencies = {
  store: UserStore
  administration: Pick<PeopleAdministration, 'requireManaged' | 'disable'>
  parts: () => readonly LeavingPart[]
  operations: Operations
  /** Removes what the area of people keeps beside the account. */
  forget(userId: string): Promise<void>
  /** Called when pages should read people again. */
  onChanged(): void
  audit: Audit
  system: System
}

const orderSchema = z.object({
  by: z.string(),
  from: z.string(),
  to: z.string(),
  threadIds: z.union([z.literal('all'), z.array(z.string())]),
})
const eraseSchema = z.object({ by: z.string() })

export function makeLeaving(dependencies: LeavingDependencies): Leaving {
  const { store, administration, operations, audit, system } = dependencies
  operations.register(handOverOperation, ({ json }) => handOver(dependencies, orderSchema.parse(JSON.parse(json))))
  operations.register(erasePersonOperation, ({ subjectId, json }) =>
    erase(dependencies, subjectId, eraseSchema.parse(JSON.parse(json)).by),
  )
  const belongings = (personId: string) => belongingsOf(dependencies, personId)
  const requireIdle = async (personId: string) => {
    for (const kind of [handOverOperation, erasePersonOperation]) {
      if (await operations.isPlanned(kind, personId)) throw personLeaving({})
    }
  }
  const plan = (kind: string, subjectId: string, values: object) =>
    operations.plan({ kind, subjectId, dueAt: system.now(), json: JSON.stringify(values) })
  return {
    belongings: async (userId, personId) => {
      if (userId !== personId) await administration.requireManaged(userId, { id: personId })
      return await belongings(personId)
    },
    handOver: async (userId, { personId, to }) => {
      await administration.requireManaged(userId, { id: personId })
      await requireDisabled(store, personId)
      await requireRecipient(store, { from: personId, to })
      await requireIdle(personId)
      const all = await belongings(personId)
      await audit.record({ userId, action: 'hand-over-started', subject: personId, details: { to, ...all.counts } })
      await plan(handOverOperation, personId, { by: userId, from: personId, to, threadIds: 'all' })
      return all
    },
    handOverThread: async (userId, { threadId, from, to }) => {
      await requireRecipient(store, { from, to })
      await plan(handOverOperation, threadId, { by: userId, from, to, threadIds: [threadId] })
    },
    erase: async (userId, personId) => {
      const isOwn = userId === personId
      if (!isOwn) await administration.requireManaged(userId, { id: personId })
      if ((await store.person(personId))?.isOwner === true) throw ownerLeaves({})
      if (!isOwn) await requireDisabled(store, personId)
      await requireIdle(personId)
      const all = await belongings(personId)
      await audit.record({ userId, action: 'erase-started', subject: personId, details: all.counts })
      // Planned first: a crash in between erases an account that is enabled, which the operation disables.
      await plan(erasePersonOperation, personId, { by: userId })
      await store.setErasing(personId, system.now())
      await administration.disable(personId)
      return all
    },
  }
}

async function handOver(
  { parts, audit, onChanged }: LeavingDependencies,
  { by, ...order }: HandOverOrder & { by: string },
): Promise<void> {
  for (const part of parts()) await part.revoke?.(order)
  for (const part of parts()) await part.handOver?.(order)
  const { from, to, threadIds } = order
  const isAll = threadIds === 'all'
  const action = isAll ? 'handed-over' : 'thread-handed-over'
  await audit.record({ userId: by, action, subject: isAll ? from : (threadIds[0] ?? null), details: { from, to } })
  onChanged()
}

async function erase(dependencies: LeavingDependencies, personId: string, by: string): Promise<void> {
  const { store, administration, parts, audit, system } = dependencies
  const person = await store.person(personId)
  // Ended before the operation was recorded as done.
  if (person === undefined) return
  if (person.erasingAt === null) await store.setErasing(personId, system.now())
  await administration.disable(personId)
  for (const part of parts()) await part.release?.(personId)
  for (const part of parts().toReversed()) await part.erase?.(personId)
  await dependencies.forget(personId)
  // Before the row, which decides whether the work is repeated: the log can have two rows, never none.
  await audit.record({ userId: by === personId ? null : by, action: 'person-erased', subject: personId })
  await store.erase(personId)
  dependencies.onChanged()
}

async function belongingsOf({ parts }: LeavingDependencies, personId: string): Promise<Belongings> {
  const counts: BelongingsCounts = {
    threads: 0,
    sharedThreads: 0,
    workspaces: 0,
    agents: 0,
    skills: 0,
    schedules: 0,
    webhooks: 0,
    messagesToOthers: 0,
  }
  const personal: PersonalNames = { secrets: [], gitCredentials: [], connections: [] }
  for (const part of parts()) {
    Object.assign(counts, await part.counts?.(personId))
    Object.assign(personal, await part.personal?.(personId))
  }
  return { counts, personal }
}

async function requireDisabled(store: Pick<UserStore, 'person'>, personId: string): Promise<PersonRecord> {
  const person = await store.person(personId)
  if (person === undefined) throw personNotFound({})
  if (person.disabledAt === null) throw personNotDisabled({})
  return person
}

async function requireRecipient(
  store: Pick<UserStore, 'person'>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const person = from === to ? undefined : await store.person(to)
  if (person === undefined || person.disabledAt !== null) throw recipientInvalid({})
}

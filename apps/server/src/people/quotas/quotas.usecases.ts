import {
  limitsFrom,
  makeId,
  memberLimits,
  noLimits,
  type PersonRole,
  type QuotaLimits,
  type QuotaName,
  quotaNames,
} from '@threadbox/domain'
import type {
  AskForMore,
  CreateQuotaPreset,
  DecideQuotaRequest,
  PersonQuotas,
  QuotaPreset,
  QuotaRequest,
  QuotaState,
  Quotas as QuotasView,
  UpdateOwnQuotas,
  UpdatePersonQuotas,
  UpdateQuotaPreset,
} from '@threadbox/protocol/public'
import { monthOf } from '../../platform/system/days.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit, AuditValues } from '../audit/audit.ts'
import { auditChange } from '../audit/audit-changes.logic.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import {
  presetIsDefault,
  presetNameTaken,
  presetNotFound,
  quotaRequestNotFound,
  quotaRequestOpen,
} from './quotas.errors.ts'
import { memberPresetId, type Preset, type QuotaStore } from './quotas.store.ts'
import type { QuotaRequestRow } from './quotas.table.ts'

/** Returns how much of a quota a person uses. A monthly one counts from `from`. */
export type QuotaMeter = (userId: string, month: { from: number; to: number }) => Promise<number>

/** What counts one quota. `largest`: what uses most of it, which only the person sees. */
export type MeteredQuota = {
  quota: QuotaName
  read: QuotaMeter
  largest?: (userId: string) => Promise<QuotaState['largest']>
}

/** The limits of people, and what they use of them. */
export type Quotas = {
  limits(userId: string): Promise<QuotaLimits>
  month(): Promise<{ from: number; to: number; timeZone: string }>
  own(userId: string): Promise<QuotasView>
  /** Sets limits below the assigned ones. */
  updateOwn(userId: string, change: UpdateOwnQuotas): Promise<QuotasView>
  /** Throws `quota.request-open` if this person has already asked for it. */
  ask(userId: string, request: AskForMore): Promise<QuotaRequest>
  administration: QuotaAdministration
  /** What groups at a provider give. */
  presets: PresetAssignment
}

/** `presetOf`: null for the one of the person’s role. A preset that no longer exists is not assigned. */
export type PresetAssignment = {
  presetOf(userId: string): Promise<string | null>
  assignPreset(userId: string, presetId: string | null): Promise<void>
}

/** For the owner and admins; everyone else gets `auth.owner-required`. */
export type QuotaAdministration = {
  presets(userId: string): Promise<QuotaPreset[]>
  createPreset(userId: string, request: CreateQuotaPreset): Promise<QuotaPreset>
  updatePreset(userId: string, presetId: string, change: UpdateQuotaPreset): Promise<QuotaPreset>
  removePreset(userId: string, presetId: string): Promise<void>
  ofPerson(userId: string, personId: string): Promise<PersonQuotas>
  updatePerson(userId: string, personId: string, change: UpdatePersonQuotas): Promise<PersonQuotas>
  requests(userId: string): Promise<QuotaRequest[]>
  /** Throws `quota.request-not-found`. */
  decide(userId: string, requestId: string, decision: DecideQuotaRequest): Promise<void>
}

export type QuotaPorts = {
  store: QuotaStore
  people: Pick<PeopleAdministration, 'roleOf' | 'requireAdministrator' | 'requireManaged'>
  meters(): readonly MeteredQuota[]
  timeZone(): Promise<string>
  audit: Pick<Audit, 'record'>
  system: System
}

const monthly: readonly QuotaName[] = ['modelMicroUsdPerMonth']

export function makeQuotas(ports: QuotaPorts): Quotas {
  const { store, system } = ports
  const month = async () => {
    const timeZone = await ports.timeZone()
    return { ...monthOf(system.now(), timeZone), timeZone }
  }
  const sources = async (userId: string) => {
    const [role, { presetId, assigned, own }] = await Promise.all([ports.people.roleOf(userId), store.person(userId)])
    const grants = await store.grants(userId, system.now())
    const granted = grants.map(({ quota, value }) => ({ quota: quota as QuotaName, limit: value }))
    return { preset: await presetLimits(store, { presetId, role }), assigned, granted, own }
  }
  const states = async (userId: string): Promise<QuotaState[]> => {
    const [all, period] = await Promise.all([sources(userId), month()])
    const assigned = limitsFrom({ ...all, own: {} })
    const limits = limitsFrom(all)
    return await Promise.all(
      quotaNames.map(async (quota) => ({
        quota,
        used:
          (await ports
            .meters()
            .find((meter) => meter.quota === quota)
            ?.read(userId, period)) ?? 0,
        limit: limits[quota],
        assigned: assigned[quota],
        own: all.own[quota] ?? null,
        resetsAt: monthly.includes(quota) ? period.to : null,
      })),
    )
  }
  const withLargest = async (userId: string, state: QuotaState): Promise<QuotaState> => {
    const largest = ports.meters().find(({ quota }) => quota === state.quota)?.largest
    return largest === undefined ? state : { ...state, largest: await largest(userId) }
  }
  const own: Quotas['own'] = async (userId) => ({
    quotas: await Promise.all((await states(userId)).map((state) => withLargest(userId, state))),
    requests: (await store.openRequests(userId)).map(requestOf),
  })
  return {
    limits: async (userId) => limitsFrom(await sources(userId)),
    month,
    own,
    updateOwn: async (userId, change) => {
      const before = await store.person(userId)
      const after = definedLimits({ ...before.own, ...change })
      await store.putPerson(userId, { ...before, own: after })
      await ports.audit.record({
        userId,
        action: 'own-limits-changed',
        subject: userId,
        ...auditChange(before.own, after),
      })
      return await own(userId)
    },
    ask: async (userId, { quota, note = '' }) => {
      const isOpen = (await store.openRequests(userId)).some((row) => row.quota === quota)
      if (isOpen) throw quotaRequestOpen({})
      const id = makeId('quotaRequest', system.randomBytes)
      const row = { id, user_id: userId, quota, note, created_at: system.now(), decided_at: null, decided_by: null }
      await store.addRequest(row)
      await ports.audit.record({ userId, action: 'quota-requested', subject: userId, details: { quota } })
      return requestOf(row)
    },
    administration: makeAdministration(ports, states),
    presets: presetAssignment(ports),
  }
}

function presetAssignment({ store, audit }: QuotaPorts): PresetAssignment {
  return {
    presetOf: async (userId) => (await store.person(userId)).presetId,
    assignPreset: async (userId, presetId) => {
      if (presetId !== null && (await store.preset(presetId)) === undefined) return
      const before = await store.person(userId)
      await store.putPerson(userId, { ...before, presetId })
      const values = auditChange({ preset: before.presetId }, { preset: presetId })
      await audit.record({ userId: null, action: 'person-quotas-changed', subject: userId, ...values })
    },
  }
}

/** Owner and admins have no limits unless a preset is assigned to them. */
async function presetLimits(
  store: QuotaStore,
  { presetId, role }: { presetId: string | null; role: PersonRole },
): Promise<QuotaLimits> {
  if (presetId !== null) return (await store.preset(presetId))?.limits ?? memberLimits
  return role === 'member' ? ((await store.preset(memberPresetId))?.limits ?? memberLimits) : noLimits
}

function makeAdministration(
  { store, people, audit, system }: QuotaPorts,
  states: (userId: string) => Promise<QuotaState[]>,
): QuotaAdministration {
  const requirePreset = async (id: string): Promise<Preset> => {
    const preset = await store.preset(id)
    if (preset === undefined) throw presetNotFound({})
    return preset
  }
  const save = async (userId: string, before: Preset | null, after: Preset) => {
    const others = (await store.presets()).filter(({ id }) => id !== after.id)
    if (others.some(({ name }) => isSameName(name, after.name))) throw presetNameTaken({ name: after.name })
    await store.putPreset(after, system.now())
    const values = auditChange(before === null ? null : before.limits, after.limits)
    await audit.record({
      userId,
      action: 'quota-preset-changed',
      subject: after.id,
      details: { name: after.name },
      ...values,
    })
    return presetView(after)
  }
  const ofPerson = async (personId: string): Promise<PersonQuotas> => {
    const { presetId, assigned } = await store.person(personId)
    return { presetId, assigned, quotas: await states(personId) }
  }
  return {
    presets: async (userId) => {
      await people.requireAdministrator(userId)
      return (await store.presets()).map(presetView)
    },
    createPreset: async (userId, { name, limits }) => {
      await people.requireAdministrator(userId)
      return await save(userId, null, {
        id: makeId('quotaPreset', system.randomBytes),
        name,
        limits: { ...noLimits, ...limits },
      })
    },
    updatePreset: async (userId, presetId, { name, limits }) => {
      await people.requireAdministrator(userId)
      const before = await requirePreset(presetId)
      const changed = { ...before.limits, ...definedOf(limits ?? {}) }
      return await save(userId, before, { id: presetId, name: name ?? before.name, limits: changed })
    },
    removePreset: async (userId, presetId) => {
      await people.requireAdministrator(userId)
      if (presetId === memberPresetId) throw presetIsDefault({})
      if (!(await store.removePreset(presetId))) throw presetNotFound({})
      await audit.record({ userId, action: 'quota-preset-removed', subject: presetId })
    },
    ofPerson: async (userId, personId) => {
      await people.requireManaged(userId, { id: personId })
      return await ofPerson(personId)
    },
    updatePerson: async (userId, personId, change) => {
      await people.requireManaged(userId, { id: personId })
      const before = await store.person(personId)
      if (change.presetId != null) await requirePreset(change.presetId)
      const presetId = change.presetId === undefined ? before.presetId : change.presetId
      const assigned = change.assigned === undefined ? before.assigned : definedOf(change.assigned)
      await store.putPerson(personId, { ...before, presetId, assigned })
      const values = auditChange({ preset: before.presetId, ...before.assigned }, { preset: presetId, ...assigned })
      await audit.record({ userId, action: 'person-quotas-changed', subject: personId, ...values })
      return await ofPerson(personId)
    },
    requests: async (userId) => {
      await people.requireAdministrator(userId)
      return (await store.openRequests()).map(requestOf)
    },
    decide: async (userId, requestId, { limit, until }) => {
      await people.requireAdministrator(userId)
      const row = await store.request(requestId)
      if (row === undefined) throw quotaRequestNotFound({})
      await people.requireManaged(userId, { id: row.user_id })
      const at = system.now()
      // Decided first, so that two admins do not both grant it.
      if (!(await store.decide(requestId, { userId, at }))) throw quotaRequestNotFound({})
      const { user_id, quota } = row
      if (limit !== undefined) {
        const id = makeId('quotaRequest', system.randomBytes)
        await store.addGrant({
          id,
          user_id,
          quota,
          value: limit,
          until: until ?? null,
          created_by: userId,
          created_at: at,
        })
      }
      const details: AuditValues = { quota, ...(limit === undefined ? {} : { limit, until: until ?? null }) }
      const action = limit === undefined ? 'quota-request-refused' : 'quota-request-granted'
      await audit.record({ userId, action, subject: user_id, details })
    },
  }
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Without the limits that were removed. */
function definedLimits(limits: Partial<QuotaLimits>): Partial<Record<QuotaName, number>> {
  const set = Object.entries(limits).filter((entry): entry is [QuotaName, number] => typeof entry[1] === 'number')
  return Object.fromEntries(set) as Partial<Record<QuotaName, number>>
}

function definedOf(limits: UpdateOwnQuotas): Partial<QuotaLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)) as Partial<QuotaLimits>
}

function requestOf(row: QuotaRequestRow): QuotaRequest {
  return { id: row.id, userId: row.user_id, quota: row.quota as QuotaName, note: row.note, createdAt: row.created_at }
}

function presetView(preset: Preset): QuotaPreset {
  return { ...preset, isDefault: preset.id === memberPresetId }
}

import { memberLimits, noLimits, type QuotaLimits, type QuotaName } from '@threadbox/domain'
import type { Kysely } from 'kysely'
import type { QuotaGrantRow, QuotaPresetRow, QuotaRequestRow, QuotaTables } from './quotas.table.ts'

/** The preset of members without another one. It can be changed, not removed. */
export const memberPresetId = 'member'

export type Preset = { id: string; name: string; limits: QuotaLimits }
export type PersonQuotas = {
  presetId: string | null
  assigned: Partial<QuotaLimits>
  own: Partial<Record<QuotaName, number>>
}

/** The only code that touches the tables of quotas. */
export type QuotaStore = {
  /** By name, the one of members first. */
  presets(): Promise<Preset[]>
  preset(id: string): Promise<Preset | undefined>
  putPreset(preset: Preset, now: number): Promise<void>
  /** People with it get the preset of members. Returns false if there is none. */
  removePreset(id: string): Promise<boolean>
  person(userId: string): Promise<PersonQuotas>
  putPerson(userId: string, quotas: PersonQuotas): Promise<void>
  grants(userId: string, now: number): Promise<QuotaGrantRow[]>
  addGrant(row: QuotaGrantRow): Promise<void>
  openRequests(userId?: string): Promise<QuotaRequestRow[]>
  request(id: string): Promise<QuotaRequestRow | undefined>
  addRequest(row: QuotaRequestRow): Promise<void>
  /** Returns false if it is decided already. */
  decide(id: string, by: { userId: string; at: number }): Promise<boolean>
}

export function makeQuotaStore(database: Kysely<QuotaTables>): QuotaStore {
  const presets = async () => {
    const rows = await database.selectFrom('quota_presets').selectAll().orderBy('name').execute()
    const known = rows.map(presetOf)
    const members = known.find(({ id }) => id === memberPresetId) ?? memberPreset
    return [members, ...known.filter(({ id }) => id !== memberPresetId)]
  }
  return {
    presets,
    preset: async (id) => {
      const row = await database.selectFrom('quota_presets').selectAll().where('id', '=', id).executeTakeFirst()
      if (row !== undefined) return presetOf(row)
      return id === memberPresetId ? memberPreset : undefined
    },
    putPreset: async ({ id, name, limits }, now) => {
      const values = { name, values_json: JSON.stringify(limits) }
      await database
        .insertInto('quota_presets')
        .values({ id, ...values, created_at: now })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute()
    },
    removePreset: async (id) => {
      const removed = await database.deleteFrom('quota_presets').where('id', '=', id).executeTakeFirst()
      return Number(removed.numDeletedRows) > 0
    },
    person: async (userId) => {
      const rows = database.selectFrom('person_quotas').selectAll()
      const row = await rows.where('user_id', '=', userId).executeTakeFirst()
      if (row === undefined) return { presetId: null, assigned: {}, own: {} }
      const assigned = JSON.parse(row.values_json) as PersonQuotas['assigned']
      return { presetId: row.preset_id, assigned, own: JSON.parse(row.own_json) as PersonQuotas['own'] }
    },
    putPerson: async (userId, { presetId, assigned, own }) => {
      const values = { preset_id: presetId, values_json: JSON.stringify(assigned), own_json: JSON.stringify(own) }
      await database
        .insertInto('person_quotas')
        .values({ user_id: userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute()
    },
    grants: (userId, now) =>
      database
        .selectFrom('quota_grants')
        .selectAll()
        .where('user_id', '=', userId)
        .where((where) => where.or([where('until', 'is', null), where('until', '>', now)]))
        .execute(),
    addGrant: async (row) => {
      await database.insertInto('quota_grants').values(row).execute()
    },
    openRequests: (userId) => {
      const rows = database
        .selectFrom('quota_requests')
        .selectAll()
        .where('decided_at', 'is', null)
        .orderBy('created_at')
      return (userId === undefined ? rows : rows.where('user_id', '=', userId)).execute()
    },
    request: (id) => database.selectFrom('quota_requests').selectAll().where('id', '=', id).executeTakeFirst(),
    addRequest: async (row) => {
      await database.insertInto('quota_requests').values(row).execute()
    },
    decide: async (id, by) => {
      const changed = await database
        .updateTable('quota_requests')
        .set({ decided_at: by.at, decided_by: by.userId })
        .where('id', '=', id)
        .where('decided_at', 'is', null)
        .executeTakeFirst()
      return Number(changed.numUpdatedRows) > 0
    },
  }
}

const memberPreset: Preset = { id: memberPresetId, name: 'Member', limits: memberLimits }

/** A limit that a later release added is not set in older rows. */
function presetOf(row: QuotaPresetRow): Preset {
  const limits = { ...noLimits, ...(JSON.parse(row.values_json) as Partial<QuotaLimits>) }
  return { id: row.id, name: row.name, limits }
}

import type { LifecyclePolicy, SandboxLimits } from '@threadbox/domain'
import type { Setting, Settings as SettingsView, UpdateSettings } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { PeopleEvents } from '../people.events.ts'
import {
  editableSettings,
  isLimitName,
  isSettingName,
  type SettingName,
  type SettingValues,
} from './editable-settings.ts'
import { ownPasskeyMissing, settingUnknown, settingValueInvalid } from './settings.errors.ts'
import type { SettingTables } from './settings.table.ts'

/** Settings that the owner changes in the app. They are read at each use, so that a change takes effect immediately. */
export type Settings = {
  values(): Promise<SettingValues>
  limits(): Promise<SandboxLimits>
  /** When sandboxes without a policy of their own sleep. */
  policy(): Promise<LifecyclePolicy>
  view(): Promise<SettingsView>
  /**
   * Applies all of the changes or none. Throws `setting.unknown`, `setting.value-invalid`, `setting.own-passkey-missing`. Returns when the listeners
   * of `settings-changed` have finished.
   */
  update(userId: string, request: UpdateSettings): Promise<SettingsView>
}

/** Settings that were read at start, for the page that lists all settings. */
export type FixedSetting = Omit<Setting, 'isEditable'>

export function makeSettings(options: {
  database: Kysely<SettingTables>
  fixed: readonly FixedSetting[]
  hasPasskey(userId: string): Promise<boolean>
  audit: Audit
  events: Pick<Events<PeopleEvents>, 'emit'>
  system: System
}): Settings {
  const { database } = options
  const values = async () => {
    const rows = await database.selectFrom('settings').select(['name', 'json']).execute()
    const stored = new Map(rows.map((row) => [row.name, JSON.parse(row.json) as unknown]))
    const read = Object.entries(editableSettings).map(([name, setting]) => {
      const parsed = setting.schema.safeParse(stored.get(name))
      return [name, parsed.success ? parsed.data : setting.default]
    })
    return Object.fromEntries(read) as SettingValues
  }
  const view = async () => {
    const present = await values()
    return {
      settings: [
        ...Object.entries(editableSettings).map(([name, setting]) => ({
          name,
          doc: setting.doc,
          value: present[name as SettingName],
          default: setting.default,
          isEditable: true,
        })),
        ...options.fixed.map((setting) => ({ ...setting, isEditable: false })),
      ],
      limits: limitsIn(present),
    }
  }
  return {
    values,
    view,
    limits: async () => limitsIn(await values()),
    policy: async () => policyIn(await values()),
    update: async (userId, request) => {
      const changes = Object.entries(request.settings).map(([name, value]) => checkChange(name, value))
      const requires = changes.some(({ name, value }) => name === 'adminPasskeys' && value === 'required')
      // Also proves that passkeys work at the address of this installation.
      if (requires && !(await options.hasPasskey(userId))) throw ownPasskeyMissing({})
      await store({ ...options, before: await values() }, userId, changes)
      if (changes.length > 0) {
        await options.events.emit('settings-changed', { limits: changes.some(({ name }) => isLimitName(name)) })
      }
      return await view()
    },
  }
}

type Change = { name: SettingName; value: number | string | null }

function checkChange(name: string, value: unknown): Change {
  if (!isSettingName(name)) throw settingUnknown({ name })
  if (value === null) return { name, value }
  const parsed = editableSettings[name].schema.safeParse(value)
  if (!parsed.success) {
    throw settingValueInvalid({ name, problem: parsed.error.issues.map((issue) => issue.message).join('; ') })
  }
  return { name, value: parsed.data }
}

async function store(
  options: { database: Kysely<SettingTables>; audit: Audit; system: System; before: SettingValues },
  userId: string,
  changes: readonly Change[],
): Promise<void> {
  await options.database.transaction().execute(async (transaction) => {
    for (const { name, value } of changes) {
      if (value === null) await transaction.deleteFrom('settings').where('name', '=', name).execute()
      else {
        const row = { json: JSON.stringify(value), updated_at: options.system.now(), updated_by: userId }
        await transaction
          .insertInto('settings')
          .values({ name, ...row })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
          .execute()
      }
    }
  })
  for (const { name, value } of changes) {
    const [before, after] = [{ value: options.before[name] }, { value }]
    await options.audit.record({ userId, action: 'setting-changed', subject: name, details: { value }, before, after })
  }
}

function limitsIn(values: SettingValues): SandboxLimits {
  return {
    memoryBytes: values.sandboxMemoryBytes,
    cpus: values.sandboxCpus,
    processes: values.sandboxProcesses,
    diskBytes: values.sandboxDiskBytes,
  }
}

function policyIn(values: SettingValues): LifecyclePolicy {
  const { idlePauseMinutes, hotHours, hotKeep, maxAwakeHours, retentionDays, maxServices } = values
  return {
    idlePauseMinutes,
    hotHours,
    hotKeep,
    maxAwakeHours,
    retentionDays: retentionDays === 0 ? null : retentionDays,
    maxServices,
  }
}

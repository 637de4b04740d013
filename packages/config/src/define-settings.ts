import { defineError } from '@threadbox/errors'
import { z } from 'zod'

export const settingInvalid = defineError<{ name: string; problem: string }>({
  code: 'config.setting-invalid',
  kind: 'invalid',
  message: ({ name, problem }) => `The setting ${name} is not valid: ${problem}`,
  remedy: ({ name }) => `Correct ${name} in the environment or in threadbox.env, then restart.`,
})

/** One setting: its meaning, its values and its source. Docs are generated from it. */
export type Setting<Value> = {
  doc: string
  environment: `THREADBOX_${string}` | 'DATABASE_URL'
  schema: z.ZodType<Value>
  default: Value
}
export type Settings<Values> = { [Name in keyof Values]: Setting<Values[Name]> }

export function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return definition
}

/** Reads settings from an environment. Throws `config.setting-invalid` for the first one that does not parse. */
export function readSettings<Values extends Record<string, unknown>>(
  settings: Settings<Values>,
  environment: Record<string, string | undefined>,
): Values {
  const read = Object.entries(settings as Record<string, Setting<unknown>>).map(([name, definition]) => {
    const raw = environment[definition.environment]
    if (raw === undefined || raw === '') return [name, definition.default]
    const parsed = definition.schema.safeParse(raw)
    if (!parsed.success) throw settingInvalid({ name: definition.environment, problem: z.prettifyError(parsed.error) })
    return [name, parsed.data]
  })
  return Object.fromEntries(read) as Values
}

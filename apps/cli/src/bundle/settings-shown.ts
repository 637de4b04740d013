import { hostSettings, type Setting, serverSettings, shownSetting, turnSettings } from '@threadbox/config'

const definitions: readonly Setting<unknown>[] = Object.values({ ...hostSettings, ...serverSettings, ...turnSettings })

/** Every setting of `threadbox.env`: numbers and words of closed lists as they are, of any other only whether it is set. */
export function shownSettings(environment: Readonly<Record<string, string>>): Record<string, string | number> {
  return Object.fromEntries(
    definitions
      .map((definition): [string, string | number] => [definition.environment, shownIn(definition, environment)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

function shownIn(definition: Setting<unknown>, environment: Readonly<Record<string, string>>): string | number {
  const raw = environment[definition.environment]
  if (raw === undefined || raw === '') return shownSetting(definition, definition.default)
  const parsed = definition.schema.safeParse(raw)
  return parsed.success ? shownSetting(definition, parsed.data) : 'invalid'
}

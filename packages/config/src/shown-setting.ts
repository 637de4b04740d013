import { z } from 'zod'
import type { Setting } from './define-settings.ts'

/**
 * What a setting can show to someone who helps: numbers, and words of a closed list. Any other text can be a name, an
 * address, a path or a secret, so only whether it is set is shown.
 */
export function shownSetting(
  definition: Pick<Setting<unknown>, 'schema' | 'default'>,
  value: unknown,
): string | number {
  if (typeof value === 'number') return value
  if (definition.schema instanceof z.ZodEnum && typeof value === 'string') return value
  return value === definition.default ? 'default' : 'set'
}

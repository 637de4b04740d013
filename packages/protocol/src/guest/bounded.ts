import { z } from 'zod'

/** Far above what a sandbox has of anything; a check of so many values takes a tenth of a second. */
export const maxGuestEntries = 20_000
const maxDepth = 32

/**
 * Parses JSON of a guest. Throws a `SyntaxError` unless it is JSON, and a `RangeError` if a list or an object in it has
 * more than 20,000 entries, or if it is nested more than 32 levels.
 */
export function parseGuestJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new RangeError('it is nested too deeply')
    const next: unknown[] = []
    for (const one of level) {
      const children = typeof one === 'object' && one !== null ? Object.values(one) : []
      if (children.length > maxGuestEntries) throw new RangeError('it has too many entries')
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child)
    }
    level = next
  }
  return value
}

/**
 * A list from a guest. Unlike `z.array`, it reports only its first invalid entry: a guest can send a million of them, and
 * the report would take all memory.
 */
export function listOf<Entry extends z.ZodType>(entry: Entry): z.ZodType<z.output<Entry>[], z.input<Entry>[]> {
  // Not `max`, which throws for an object whose `length` is an object.
  return z.array(z.unknown()).transform((values, context) => {
    const parsed: z.output<Entry>[] = []
    if (values.length > maxGuestEntries) {
      context.addIssue({ code: 'custom', message: 'too many entries' })
      return z.NEVER
    }
    for (const [index, value] of values.entries()) {
      const one = entry.safeParse(value)
      if (!one.success) {
        context.addIssue({ code: 'custom', path: [index], message: one.error.issues[0]?.message ?? 'invalid' })
        return z.NEVER
      }
      parsed.push(one.data)
    }
    return parsed
  }) as unknown as z.ZodType<z.output<Entry>[], z.input<Entry>[]>
}

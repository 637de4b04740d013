import { z } from 'zod'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** What a schema accepts, as JSON Schema without texts. A transformation, which has no JSON form, is `{}`. */
export function shapeOf(schema: z.ZodType): JsonValue {
  return withoutWords(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' }) as JsonValue)
}

const words = new Set(['description', 'summary', 'example', 'examples', '$schema'])

/** The same value with sorted keys and without texts for people. A property with the name of such a text stays. */
export function withoutWords(value: JsonValue, isNameSpace = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item))
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([key]) => isNameSpace || !words.has(key))
  const sorted = kept.sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(
    sorted.map(([key, item]) => [key, key === 'required' ? inOrder(item) : withoutWords(item, key === 'properties')]),
  )
}

function inOrder(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(String).sort() : withoutWords(value)
}

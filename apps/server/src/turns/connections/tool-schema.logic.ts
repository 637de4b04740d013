import { visibleText } from './visible-text.logic.ts'

/** A JSON schema that providers of models accept. */
export type InputSchema = { type: 'object'; properties: Record<string, unknown> } & Record<string, unknown>

/** A larger schema would cost every request of the conversation as many tokens as a long document. */
const maxSchemaCharacters = 24_000
const maxDepth = 12
const maxProperties = 128
/** References can nest so that a short schema expands to millions of parts. */
const maxParts = 2000
const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** The message says what is wrong with a schema, in words for the user. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
}

/**
 * The part of a server's schema that providers understand. A provider rejects every request that contains an
 * unsupported schema, so only known keywords with values of the right type pass. Throws {@link SchemaProblem} when
 * nothing useful is left.
 */
export function usableSchema(schema: unknown): InputSchema {
  if (!isObject(schema)) throw new SchemaProblem('its input schema is not valid JSON Schema.')
  const definitions = { ...definitionsIn(schema.definitions), ...definitionsIn(schema.$defs) }
  const whole = cleaned(schema, { depth: 0, definitions, path: [], parts: { left: maxParts } })
  // Some providers reject alternatives at the top level, where only an object is possible anyway.
  const { anyOf, oneOf, allOf, enum: values, const: value, ...clean } = whole
  if (clean.type !== undefined && clean.type !== 'object') throw new SchemaProblem('its input is not an object.')
  const properties = isObject(clean.properties) ? clean.properties : {}
  const usable: InputSchema = { ...clean, type: 'object', properties }
  // Providers reject a schema that requires a field which it doesn’t have.
  if (Array.isArray(usable.required))
    usable.required = usable.required.filter((name) => Object.hasOwn(properties, name))
  if (JSON.stringify(usable).length > maxSchemaCharacters) {
    throw new SchemaProblem(`its input schema is longer than ${maxSchemaCharacters} characters.`)
  }
  return usable
}

type Place = {
  depth: number
  definitions: Record<string, unknown>
  path: readonly string[]
  parts: { left: number }
}

function cleaned(schema: Record<string, unknown>, place: Place): Record<string, unknown> {
  place.parts.left -= 1
  if (place.parts.left < 0) throw new SchemaProblem(`its input schema has more than ${maxParts} parts.`)
  if (place.depth > maxDepth) throw new SchemaProblem(`its input is nested deeper than ${maxDepth} levels.`)
  const referred = reference(schema, place)
  if (referred !== undefined) return referred
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const kept = keptKeyword(keyword, value, place)
    if (kept !== undefined) result[keyword] = kept
  }
  const { required, properties } = result
  if (Array.isArray(required) && isObject(properties)) {
    result.required = required.filter((name) => Object.hasOwn(properties, name))
  }
  return result
}

/** Replaces a reference by its target. One that refers to itself or outside of the schema becomes “anything”. */
function reference(schema: Record<string, unknown>, place: Place): Record<string, unknown> | undefined {
  if (typeof schema.$ref !== 'string') return undefined
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(schema.$ref)?.[1]
  const target = name === undefined ? undefined : place.definitions[name]
  if (name === undefined || !isObject(target) || place.path.includes(name)) return {}
  return cleaned(target, { ...place, depth: place.depth + 1, path: [...place.path, name] })
}

function keptKeyword(keyword: string, value: unknown, place: Place): unknown {
  const below = { ...place, depth: place.depth + 1 }
  switch (keyword) {
    case 'type':
      return keptType(value)
    case 'description':
    case 'title':
      return typeof value === 'string' ? visibleText(value).slice(0, keyword === 'description' ? 2000 : 200) : undefined
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined
    case 'default':
    case 'const':
      return isPlain(value) ? value : undefined
    case 'enum':
      return Array.isArray(value) && value.length > 0 && value.length <= 500 && value.every(isPlain) ? value : undefined
    case 'required':
      return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined
    case 'properties':
      return keptProperties(value, below)
    case 'items':
      return isObject(value) ? cleaned(value, below) : undefined
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : isObject(value) ? cleaned(value, below) : undefined
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return keptAlternatives(value, below)
    default:
      return undefined
  }
}

function keptType(value: unknown): unknown {
  if (typeof value === 'string') return types.has(value) ? value : undefined
  if (!Array.isArray(value)) return undefined
  const known = [...new Set(value.filter((item) => types.has(item)))]
  return known.length === 0 ? undefined : known.length === 1 ? known[0] : known
}

function keptProperties(value: unknown, place: Place): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length > maxProperties) throw new SchemaProblem(`its input has more than ${maxProperties} fields.`)
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      // Providers accept only these names, and an omitted property might be one that the server requires.
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name) || name === '__proto__') {
        throw new SchemaProblem(
          `its input has a field name that models can’t use: ${JSON.stringify(name.slice(0, 80))}.`,
        )
      }
      return [name, isObject(inner) ? cleaned(inner, place) : {}]
    }),
  )
}

function keptAlternatives(value: unknown, place: Place): Record<string, unknown>[] | undefined {
  if (!Array.isArray(value)) return undefined
  const alternatives = value.filter(isObject).slice(0, 32)
  return alternatives.length === 0 ? undefined : alternatives.map((inner) => cleaned(inner, place))
}

function definitionsIn(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || typeof value === 'number' || isShortText(value)
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 1000
}

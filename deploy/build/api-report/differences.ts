import type { JsonValue } from './shapes.ts'

/** Each difference between two reports, as a line with its path: `- path: value` before, `+ path: value` after. */
export function differencesOf(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (Array.isArray(before) && Array.isArray(after)) {
    return [...itemsOnlyIn(before, after, path, '-'), ...itemsOnlyIn(after, before, path, '+')]
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((name) =>
      differencesOf(Reflect.get(before, name), Reflect.get(after, name), path === '' ? name : `${path} › ${name}`),
    )
  }
  return [...lineOf('-', path, before), ...lineOf('+', path, after)]
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list in which only the order changed has one line for that. */
function itemsOnlyIn(items: JsonValue[], others: JsonValue[], path: string, sign: string): string[] {
  const known = new Map<string, number>()
  for (const other of others.map((item) => JSON.stringify(item))) known.set(other, (known.get(other) ?? 0) + 1)
  const lines = items.flatMap((item) => {
    const left = known.get(JSON.stringify(item)) ?? 0
    known.set(JSON.stringify(item), left - 1)
    return left > 0 ? [] : lineOf(sign, path, item)
  })
  const isReordered = lines.length === 0 && items.length === others.length && sign === '+'
  return isReordered ? [`~ ${path}: another order`] : lines
}

function lineOf(sign: string, path: string, value: JsonValue | undefined): string[] {
  return value === undefined ? [] : [`${sign} ${path}: ${JSON.stringify(value)}`]
}

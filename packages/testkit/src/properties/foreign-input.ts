import { type Arbitrary, array, constantFrom, jsonValue, letrec, nat, oneof, string, tuple } from 'fast-check'

/** Text as another program may send it: control characters, escapes, lone surrogates, and ordinary words. */
export function foreignText(maxLength = 60): Arbitrary<string> {
  return oneof(
    // Any code units. `string` with its unit `binary` takes a second to build, in each process.
    array(nat({ max: 0xff_ff }), { maxLength }).map((units) => String.fromCharCode(...units)),
    string({ unit: constantFrom(...specialTexts), maxLength }),
    string({ maxLength }),
  )
}

const specialTexts = [
  '\0',
  '\n',
  '\r',
  '\t',
  '\u001b[',
  ' ',
  '"',
  "'",
  '\\',
  '/',
  '..',
  ';',
  '=',
  ',',
  ':',
  '%',
  '<',
  '>',
  'a',
  '\ud800',
]

/** A JSON value whose keys include those that JavaScript gives a meaning, and those that the parser reads. */
export function foreignJson(keys: readonly string[] = []): Arbitrary<unknown> {
  const key = constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'length', 'then', 'x', ...keys)
  const { value } = letrec<{ value: unknown }>((tie) => ({
    value: oneof(
      { depthSize: 'small', withCrossShrink: true },
      jsonValue({ maxDepth: 1 }),
      foreignText(20),
      array(tie('value'), { maxLength: 5 }),
      array(tuple(key, tie('value')), { maxLength: 6 }).map(objectOf),
    ),
  }))
  return value
}

/** As `JSON.parse` builds an object: `__proto__` is a key like any other. */
function objectOf(pairs: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(`{${pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')}}`)
}

/** The same bytes in pieces: cut at these places, in any order and beyond the end too. */
export function cutAnywhere(bytes: Uint8Array, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other)
  const ends = [...at, bytes.length]
  return ends.map((end, index) => Buffer.from(bytes.subarray(at[index - 1] ?? 0, end)))
}

/** Places for {@link cutAnywhere}. */
export function cuts(maxLength = 400): Arbitrary<number[]> {
  return array(nat({ max: maxLength }), { maxLength: 8 })
}

/** A request as a provider received it. */
export type WireRequest = { name: string; path: string; body: string }

/**
 * Formats requests so that they can be read and compared: each text stands once in a table that all protocols share,
 * with one line per line of the text, and each repeated part of requests stands once in the file of its protocol. `#1`
 * refers to a text, `@1` to a part. Equal files mean equal bytes: a request that would be read from its file
 * differently is rejected.
 */
export function makeRequestFixture() {
  const texts = makeTable<string>()
  const refer = (text: string) => (isProse(text) ? `#${texts.numberOf(text)}` : text)
  return {
    /** The file of one protocol. */
    file: (requests: readonly WireRequest[]): string => {
      const bodies = requests.map(({ body }) => JSON.parse(body) as unknown)
      const parts = repeatedParts(bodies, refer)
      const shown = requests.map(({ name, path }, index) => ({ name, path, body: parts.referIn(bodies[index]) }))
      for (const [index, { name, body }] of requests.entries()) {
        const expanded = JSON.stringify(expand(shown[index]?.body, { texts: texts.entries(), parts: parts.entries() }))
        if (expanded !== body) throw new Error(`“${name}” is not what its file says`)
      }
      const partLines = parts.entries().map((part, index) => `  "@${index + 1}": ${inLines(part, '   ')}`)
      return `{\n "requests": [\n${shown.map(requestLines).join(',\n')}\n ],\n "parts": {\n${partLines.join(',\n')}\n }\n}\n`
    },
    /** The file of all texts; call it after `file` of all protocols. */
    textsFile: (): string => {
      const lines = texts
        .entries()
        .map((text, index) => [`#${index + 1}`, text.includes('\n') ? text.split('\n') : text])
      return `${JSON.stringify(Object.fromEntries(lines), null, 1)}\n`
    },
  }
}

/** Sentences, anything long, and strings that would be read as a reference. */
function isProse(text: string): boolean {
  return text.includes(' ') || text.includes('\n') || text.length > 40 || /^[#@]/.test(text)
}

function makeTable<Value>() {
  const numbers = new Map<Value, number>()
  return {
    numberOf: (value: Value): number => {
      const known = numbers.get(value) ?? numbers.size + 1
      numbers.set(value, known)
      return known
    },
    entries: () => [...numbers.keys()],
  }
}

const minPartCharacters = 60

/** Objects and lists that occur more than once, outside of larger repeated ones. */
function repeatedParts(bodies: readonly unknown[], refer: (text: string) => string) {
  const counts = new Map<string, number>()
  const count = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const key = JSON.stringify(value)
    const known = counts.get(key) ?? 0
    counts.set(key, known + 1)
    if (known === 0) for (const inner of Object.values(value)) count(inner)
  }
  for (const body of bodies) count(body)
  const parts = makeTable<string>()
  const shown: unknown[] = []
  const referIn = (value: unknown): unknown => {
    if (typeof value === 'string') return refer(value)
    if (typeof value !== 'object' || value === null) return value
    const key = JSON.stringify(value)
    if ((counts.get(key) ?? 0) < 2 || key.length < minPartCharacters) return mapValues(value, referIn)
    const number = parts.numberOf(key)
    // Takes its number before the parts inside of it get theirs.
    if (shown.length < number) {
      shown.push(undefined)
      shown[number - 1] = mapValues(value, referIn)
    }
    return `@${number}`
  }
  return { referIn, entries: () => shown }
}

function expand(value: unknown, known: { texts: readonly string[]; parts: readonly unknown[] }): unknown {
  if (typeof value !== 'string') {
    return typeof value === 'object' && value !== null ? mapValues(value, (inner) => expand(inner, known)) : value
  }
  const number = Number(value.slice(1))
  if (value.startsWith('#')) return known.texts[number - 1]
  return value.startsWith('@') ? expand(known.parts[number - 1], known) : value
}

function mapValues(value: object, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
}

/** One field of the body per line, and one message per line. */
function requestLines({ name, path, body }: { name: string; path: string; body: unknown }): string {
  const fields = Object.entries(body as object).map(([key, value]) => `    "${key}": ${inLines(value, '     ')}`)
  return `  {\n   "name": ${JSON.stringify(name)},\n   "path": ${JSON.stringify(path)},\n   "body": {\n${fields.join(',\n')}\n   }\n  }`
}

/** JSON with one line per item of a list. */
function inLines(value: unknown, indent: string): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  return `[\n${value.map((item) => `${indent}${JSON.stringify(item)}`).join(',\n')}\n${indent.slice(1)}]`
}

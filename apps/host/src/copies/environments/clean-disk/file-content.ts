import { fstatSync, readSync, writeSync } from 'node:fs'
import { npmrcRule, type SecretRule, secretRules } from '@threadbox/protocol/public/secret-patterns'
import { isInPackage } from './unwanted-names.ts'

/** Larger files are data; only known secrets are searched for in them. */
const maxPatternBytes = 16 * 1024 * 1024
const chunkBytes = 4 * 1024 * 1024

export type ContentOrder = {
  secrets: readonly Buffer[]
  redact: ReadonlyMap<string, ReadonlySet<string>>
  /** Nothing is overwritten: matches are only reported. */
  looksOnly: boolean
  /** Called with every text that is overwritten because of its form. */
  onRedacted(text: string): void
}
export type ContentOutcome = { redacted: Map<string, number>; found: Map<string, number> }

/** Overwrites secrets in an open file, and reports what else looks like one. Sizes stay the same. */
export function cleanContent(file: number, path: string, order: ContentOrder): ContentOutcome {
  const outcome: ContentOutcome = { redacted: new Map(), found: new Map() }
  const { size } = fstatSync(file)
  const stored = order.secrets.reduce(
    (total, secret) => total + overwriteAll(file, { size, secret, looksOnly: order.looksOnly }),
    0,
  )
  if (stored > 0) outcome.redacted.set('stored', stored)
  if (size === 0 || size > maxPatternBytes || isInPackage(path)) return outcome
  const content = readAll(file, size)
  const isNpmrc = path.endsWith('.npmrc')
  for (const rule of isNpmrc ? [npmrcRule, ...secretRules] : secretRules) {
    const matches = matchesOf(content, rule)
    if (matches.length === 0) continue
    const isToGo = rule === npmrcRule || order.redact.get(path)?.has(rule.id) === true
    if (isToGo) {
      for (const { start, end } of matches) {
        order.onRedacted(content.toString('latin1', start, end))
        if (!order.looksOnly) writeSync(file, Buffer.alloc(end - start, '*'), 0, end - start, start)
        content.fill('*', start, end)
      }
    }
    const into = isToGo ? outcome.redacted : outcome.found
    into.set(rule.id, matches.length)
  }
  return outcome
}

function matchesOf(content: Buffer, { keywords, pattern }: SecretRule): { start: number; end: number }[] {
  if (!keywords.some((keyword) => content.includes(keyword))) return []
  return [...content.toString('latin1').matchAll(pattern)].map((match) => {
    const [whole, before, secret] = match
    const start = match.index + (secret === undefined ? 0 : (before?.length ?? 0))
    return { start, end: start + (secret ?? whole).length }
  })
}

/** Reads in parts that overlap by the length of a secret, so that none is missed at a border. */
function overwriteAll(
  file: number,
  { size, secret, looksOnly }: { size: number; secret: Buffer; looksOnly: boolean },
): number {
  let count = 0
  const part = Buffer.alloc(chunkBytes + secret.length)
  for (let from = 0; from < size; from += chunkBytes) {
    const length = readSync(file, part, 0, Math.min(part.length, size - from), from)
    const seen = part.subarray(0, length)
    for (let at = seen.indexOf(secret); at !== -1; at = seen.indexOf(secret, at + 1)) {
      if (!looksOnly) writeSync(file, Buffer.alloc(secret.length, '*'), 0, secret.length, from + at)
      count += 1
    }
  }
  return count
}

export function readAll(file: number, size: number): Buffer {
  const content = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const read = readSync(file, content, length, size - length, length)
    if (read === 0) break
    length += read
  }
  return content.subarray(0, length)
}

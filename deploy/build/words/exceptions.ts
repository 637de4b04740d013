import { matchesGlob } from 'node:path'
import type { Hit } from './text.ts'

export type Exception = { rule: string; path: string; text: string; line: number }

/**
 * Reads lines of rule, path (a glob), matched text (or `*`) and reason, separated by tabs. Throws for a line without one
 * of them.
 */
export function parseExceptions(source: string): Exception[] {
  return source.split('\n').flatMap((content, index) => {
    if (content === '' || content.startsWith('#')) return []
    const [rule = '', path = '', text = '', reason = ''] = content.split('\t')
    if ([rule, path, text, reason].includes('')) {
      throw new Error(`exceptions.txt:${index + 1} needs rule, path, text and reason, separated by tabs`)
    }
    return [{ rule, path, text, line: index + 1 }]
  })
}

/** Returns the hits that no exception covers, and the exceptions that cover none. */
export function applyExceptions(hits: readonly Hit[], exceptions: readonly Exception[]) {
  const used = new Set<Exception>()
  const remaining = hits.filter((hit) => {
    const covering = exceptions.filter((exception) => covers(exception, hit))
    for (const exception of covering) used.add(exception)
    return covering.length === 0
  })
  return { remaining, unused: exceptions.filter((exception) => !used.has(exception)) }
}

function covers({ rule, path, text }: Exception, hit: Hit): boolean {
  if (rule !== hit.rule || !matchesGlob(hit.path, path)) return false
  return text === '*' || text.toLowerCase() === hit.text.toLowerCase()
}

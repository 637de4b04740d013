import type { Entry } from '@threadbox/protocol/public'

export type SearchPlace = 'title' | 'text' | 'command' | 'file'
export type SearchDocument = { place: SearchPlace; body: string }

/** The searchable texts of an entry. A streaming text is indexed once it is complete. */
export function documentsOf(entry: Entry): SearchDocument[] {
  if (entry.kind === 'user-message') {
    const names = entry.attachments.map((attachment) => `${attachment.name} ${attachment.path}`).join('\n')
    return present([
      { place: 'text', body: entry.text },
      { place: 'file', body: names },
    ])
  }
  if (entry.kind === 'text') return entry.status === 'streaming' ? [] : present([{ place: 'text', body: entry.text }])
  if (entry.kind !== 'tool-call') return []
  const input = (typeof entry.input === 'object' && entry.input !== null ? entry.input : {}) as Record<string, unknown>
  const commands = [input.command, input.code].filter((value) => typeof value === 'string')
  const paths = [input.path, pathOfResult(entry.result)].filter((value) => typeof value === 'string')
  return present([
    { place: 'command', body: commands.join('\n') },
    { place: 'file', body: [...new Set(paths)].join('\n') },
  ])
}

function pathOfResult(result: Extract<Entry, { kind: 'tool-call' }>['result']): string | null {
  return result !== null && 'path' in result ? result.path : null
}

function present(documents: SearchDocument[]): SearchDocument[] {
  return documents
    .map((document) => ({ ...document, body: document.body.replaceAll('\0', '') }))
    .filter((document) => document.body.trim() !== '')
}

/** Words of a query, all of which must match; up to 8, so that a pasted page doesn't become a huge query. */
export function termsOf(query: string): string[] {
  return [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, 8)
}

/** The part of `body` around the first term, on one line. */
export function excerptOf(body: string, terms: readonly string[]): string {
  const lower = body.toLowerCase()
  const found = terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0)
  const start = Math.max(0, Math.min(...(found.length === 0 ? [0] : found)) - 60)
  const part = body
    .slice(start, start + 200)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${part}${start + 200 < body.length ? '…' : ''}`
}

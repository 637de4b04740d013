import { createHash } from 'node:crypto'

/** Longest name of a tool that every provider takes. */
const maxNameCharacters = 64
export const nameSeparator = '__'

/** The first part of the names of a connection's tools: letters, digits and `-`, so that it never holds the separator. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return plain.slice(0, 24).replace(/-+$/, '') || 'connection'
}

/**
 * What the agent calls the tools of a connection: `<connection>__<tool>`. Characters that models cannot write are
 * replaced; a name that is too long, or that another tool has by then, ends with a part of its hash. The names of a list
 * differ from each other, and from all of ours, none of which holds the separator.
 */
export function agentNames(slug: string, toolNames: readonly string[]): string[] {
  const taken = new Set<string>()
  return toolNames.map((toolName) => {
    const wished = `${slug}${nameSeparator}${toolName.replace(/[^a-zA-Z0-9_-]/g, '_') || '_'}`
    const isAsIs = wished.length <= maxNameCharacters && !taken.has(wished)
    const name = isAsIs ? wished : `${wished.slice(0, maxNameCharacters - 9)}_${hashOf(toolName)}`
    taken.add(name)
    return name
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

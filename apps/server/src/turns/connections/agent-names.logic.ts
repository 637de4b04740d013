import { createHash } from 'node:crypto'

/** Longest tool name that every provider accepts. */
const maxNameCharacters = 64
export const nameSeparator = '__'

/** Prefix of the names of a connection's tools: letters, digits and `-`, so that it never contains the separator. */
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
 * Names of a connection's tools for the agent: `<connection>__<tool>`. Characters that models can't write are replaced.
 * A name that is too long or already used ends with a part of its hash. Names in a list are unique and never equal a
 * built-in tool's name, because those don't contain the separator.
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

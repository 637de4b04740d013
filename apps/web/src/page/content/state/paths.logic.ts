/** Folders of the sandbox: a path in them is a link even if the thread hasn’t named the file. */
const roots = ['/home/user/', '/tmp/', '/srv/', '/opt/', '/var/www/']
const home = '/home/user'

const absolutePath = /(?:~|\/home\/user|\/tmp)\/[\w.@%+=/-]*[\w@%+=-]/g

/**
 * The file that inline code names, as an absolute path. A bare or relative name counts only if the thread has a file of
 * that name: a link that leads nowhere is worse than none.
 */
export function pathOfCode(code: string, knownPaths: ReadonlySet<string>): string | null {
  const text = code.trim()
  if (text === '' || text.length > 300 || /[\s'"`$*?|<>;&{}]/.test(text) || text.endsWith('/')) return null
  if (text.startsWith('~/')) return `${home}/${text.slice(2)}`
  if (roots.some((root) => text.startsWith(root))) return text
  if (text.startsWith('/')) return knownPaths.has(text) ? text : null
  const relative = text.replace(/^\.\//, '')
  for (const path of knownPaths) if (path === `${home}/${relative}` || path.endsWith(`/${relative}`)) return path
  return null
}

/** Splits a text into strings and the file paths between them, in order. */
export function splitAtPaths(text: string): (string | { path: string; text: string })[] {
  const parts: (string | { path: string; text: string })[] = []
  let at = 0
  for (const match of text.matchAll(absolutePath)) {
    const before = text[match.index - 1]
    // Part of a longer word or of a URL.
    if (before !== undefined && /[\w/.:~-]/.test(before)) continue
    const shown = match[0].replace(/\.+$/, '')
    const path = pathOfCode(shown, new Set())
    if (path === null) continue
    if (match.index > at) parts.push(text.slice(at, match.index))
    parts.push({ path, text: shown })
    at = match.index + shown.length
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A path in short form: the home folder is `~`. */
export function shortPath(path: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

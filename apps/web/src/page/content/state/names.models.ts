const encoder = new TextEncoder()

/** Linux takes names of at most this many bytes. */
const longestNameBytes = 255

/** Marks that turn the direction of what follows: with them a name can pretend to be another one. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A name as it may stand on a page: line breaks and other control characters become visible signs, and direction marks
 * are named, so that `exe.txt` is never what only looks like it.
 */
export function shownName(name: string): string {
  return name
    .toWellFormed()
    .replace(/\p{Cc}/gu, signOf)
    .replace(/[\u2028\u2029]/g, codeOf)
    .replace(directionMarks, codeOf)
}

/** The sign that pictures a control character, where there is one. */
function signOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : codeOf(character)
}

function codeOf(character: string): string {
  return `‹U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`
}

/** What is wrong with a new name; null: nothing. */
export function problemOfName(name: string): 'empty' | 'slash' | 'reserved' | 'long' | null {
  if (name.trim() === '') return 'empty'
  if (name.includes('/') || name.includes('\0')) return 'slash'
  if (name === '.' || name === '..') return 'reserved'
  return encoder.encode(name).length > longestNameBytes ? 'long' : null
}

/** A path without `.`, `..` and doubled slashes; null for one that does not begin at the root. */
export function cleanPath(path: string): string | null {
  if (!path.startsWith('/') || path.includes('\0')) return null
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

export function parentOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? '/' : path.slice(0, end)
}

export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function isInside(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}

/** Each folder on the way to a path with its name. Below home the way begins at home, else at the root. */
export function crumbsOf(folder: string): { path: string; name: string; isHome: boolean }[] {
  const start = isInside(folder, homeFolder) ? homeFolder : '/'
  const crumbs = [{ path: start, name: start === '/' ? '/' : nameOfPath(start), isHome: start === homeFolder }]
  let path = start
  for (const name of folder.slice(start.length).split('/')) {
    if (name === '') continue
    path = joinPath(path, name)
    crumbs.push({ path, name, isHome: false })
  }
  return crumbs
}

export const homeFolder = '/home/user'

/** `report.csv`, `report (2).csv`, … : the first name that is free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let count = 2; ; count += 1) {
    const candidate = `${stem} (${count})${ending}`
    if (!taken.has(candidate)) return candidate
  }
}

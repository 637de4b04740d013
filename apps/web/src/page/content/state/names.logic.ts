const encoder = new TextEncoder()

/** The limit of Linux for names. */
const longestNameBytes = 255

/** Characters that reverse the direction of the following text: with them a name can pretend to be another. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A name that is safe to display: line breaks and other control characters become visible symbols, and direction marks
 * are spelled out, so that a name such as `exe.txt` is what it looks like.
 */
export function shownName(name: string): string {
  return name
    .toWellFormed()
    .replace(/\p{Cc}/gu, signOf)
    .replace(/[\u2028\u2029]/g, codeOf)
    .replace(directionMarks, codeOf)
}

/**
 * Characters without a shape, which a person doesn’t see and a model reads: format characters (direction marks, tags),
 * blank letters, supplementary and repeated variation selectors. Joiners inside an emoji are not among them.
 */
const shapeless =
  /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\u200d)\p{Cf}|\u034f|\u17b4|\u17b5|[\u115f\u1160\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu

/**
 * Text of several lines that is safe to review: whatever could hide, reorder or imitate a part of it is a visible
 * symbol.
 */
export function shownText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, signOf)
    .replace(/[\u2028\u2029]/g, codeOf)
    .replace(shapeless, codeOf)
}

/** The symbol for a control character, if there is one. */
function signOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : codeOf(character)
}

function codeOf(character: string): string {
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`
}

/** The problem with a new name; null if there is none. */
export function problemOfName(name: string): 'empty' | 'slash' | 'reserved' | 'long' | null {
  if (name.trim() === '') return 'empty'
  if (name.includes('/') || name.includes('\0')) return 'slash'
  if (name === '.' || name === '..') return 'reserved'
  return encoder.encode(name).length > longestNameBytes ? 'long' : null
}

/** A path without `.`, `..` and doubled slashes; null if it isn’t absolute. */
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

/** Each folder on the way to a path with its name. It begins at home for paths below home, else at the root. */
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

/** The first free name in `report.csv`, `report (2).csv`, …. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let count = 2; ; count += 1) {
    const candidate = `${stem} (${count})${ending}`
    if (!taken.has(candidate)) return candidate
  }
}

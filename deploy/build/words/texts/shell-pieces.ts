export type ShellPiece = { type: 'comment' | 'string'; text: string; start: number }

/**
 * Comments, strings and here-documents of a Bash script, from the outside to the inside: the content of `$(…)` in a
 * string comes as separate pieces.
 */
export function shellPieces(source: string): ShellPiece[] {
  const found: ShellPiece[] = []
  readCode(0, () => false)
  return found

  /** Reads up to where `isEnd` says so, and returns that offset. */
  function readCode(from: number, isEnd: (character: string) => boolean): number {
    let at = from
    while (at < source.length && !isEnd(source.charAt(at))) at = readOne(at)
    return at
  }

  function readOne(at: number): number {
    const character = source.charAt(at)
    if (character === '\\') return at + 2
    if (character === "'") return readSingle(at)
    if (character === '"') return readDouble(at)
    if (source.startsWith('${', at)) return readCode(at + 2, (next) => next === '}') + 1
    if (character === '(') return readCode(at + 1, (next) => next === ')') + 1
    if (character === '#' && /^$|[\s;(]/.test(source.charAt(at - 1))) return readComment(at)
    if (source.startsWith('<<', at) && source.charAt(at + 2) !== '<') return readHereDocument(at)
    return at + 1
  }

  function readComment(at: number): number {
    const isProgram = source.startsWith('#!', at)
    const pattern = isProgram ? /^[^\n]*/ : /^#[^\n]*(\n[ \t]*#[^\n]*)*/
    const text = pattern.exec(source.slice(at))?.[0] ?? '#'
    if (!isProgram) found.push({ type: 'comment', text, start: at })
    return at + text.length
  }

  function readSingle(at: number): number {
    const end = endOf(source.indexOf("'", at + 1))
    found.push({ type: 'string', text: source.slice(at + 1, end), start: at })
    return end + 1
  }

  function readDouble(at: number): number {
    let text = ''
    let next = at + 1
    while (next < source.length && source.charAt(next) !== '"') {
      const isCommand = source.startsWith('$(', next)
      const end = isCommand ? readOne(next + 1) : next + (source.charAt(next) === '\\' ? 2 : 1)
      text += isCommand ? `$()${source.slice(next, end).replaceAll(/[^\n]/g, '')}` : source.slice(next, end)
      next = end
    }
    found.push({ type: 'string', text, start: at })
    return next + 1
  }

  /** Case patterns and arithmetic shifts have no word after `<<`. */
  function readHereDocument(at: number): number {
    const head = /^<<-?\s*(['"]?)(\w+)\1[^\n]*\n/.exec(source.slice(at))
    if (head === null) return at + 2
    const start = at + head[0].length
    const end = endOf(start + source.slice(start).search(new RegExp(`^\\s*${head[2]}$`, 'm')))
    found.push({ type: 'string', text: source.slice(start, end), start })
    return end
  }

  function endOf(offset: number): number {
    return offset === -1 ? source.length : offset
  }
}

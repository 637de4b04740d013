import { editChangesNothing, textNotFound, textNotUnique } from './tools.errors.ts'

/**
 * Returns the text after an edit. `oldText` must occur exactly once unless `isEverywhere`. For a file with Windows line
 * ends, plain line ends in the edit match them. Throws `edit.text-not-found`, `edit.text-not-unique`,
 * `edit.changes-nothing`.
 */
export function editedText(
  text: string,
  edit: { path: string; oldText: string; newText: string; isEverywhere: boolean },
): string {
  if (edit.oldText === edit.newText) throw editChangesNothing({})
  const usesWindowsEnds = text.includes('\r\n') && !text.includes(edit.oldText) && !edit.oldText.includes('\r')
  const convert = (part: string) => (usesWindowsEnds ? part.replaceAll('\n', '\r\n') : part)
  const oldText = convert(edit.oldText)
  const offsets = offsetsOf(text, oldText)
  if (offsets.length === 0) throw textNotFound({ path: edit.path, hint: nearMiss(text, edit.oldText) })
  if (offsets.length > 1 && !edit.isEverywhere) {
    const lines = offsets.slice(0, 10).map((offset) => lineAt(text, offset))
    const shown = lines.join(', ') + (offsets.length > 10 ? ', …' : '')
    throw textNotUnique({ path: edit.path, count: offsets.length, lines: shown })
  }
  return text.split(oldText).join(convert(edit.newText))
}

function offsetsOf(text: string, part: string): number[] {
  const offsets: number[] = []
  if (part === '') return offsets
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) offsets.push(at)
  return offsets
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Where the text would be found if spaces didn't count: the usual reason for a failed edit. */
function nearMiss(text: string, oldText: string): string {
  const plain = (line: string) => line.trim().replace(/\s+/g, ' ')
  const wanted = oldText.split('\n').map(plain)
  const first = wanted.find((line) => line !== '')
  if (first === undefined) return ''
  const lines = text.split('\n')
  const start = wanted.indexOf(first)
  const at = lines.findIndex((line, index) => {
    if (plain(line) !== first) return false
    return wanted.every((want, offset) => plain(lines[index - start + offset] ?? '') === want)
  })
  if (at >= 0) return `The same text with different whitespace starts at line ${at - start + 1}.`
  const similar = lines.findIndex((line) => plain(line) === first)
  return similar >= 0 ? `Its first line matches line ${similar + 1}, but the following lines differ.` : ''
}

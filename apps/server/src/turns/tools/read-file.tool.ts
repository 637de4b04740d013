import { z } from 'zod'
import { succeeded } from './outcomes.ts'
import { pathIn, readBytes, textOf } from './sandbox-files.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  path: z.string().min(1).max(4096).describe('File path. Relative paths start at /home/user.'),
  first_line: z.number().int().min(1).optional().describe('First line to read, starting at 1. Default 1.'),
  line_count: z
    .number()
    .int()
    .min(1)
    .max(20_000)
    .optional()
    .describe('Number of lines to read. Default: as many as fit.'),
})

/** How far into a file lines are counted; beyond that a command is the better tool. */
const maxScannedBytes = 64 * 1024 * 1024

/** Reads lines of a text file. */
export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a UTF-8 text file, in full or a range of lines. A long result ends early and says at which line; continue ' +
    'from there. Not for binary files; use view_image for images.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ path: given, first_line, line_count }, context) => {
    const path = pathIn(given)
    const read = await readBytes(context.sandbox, { path, limitBytes: maxScannedBytes, signal: context.signal })
    const excerpt = linesOf(textOf(trimmed(read.bytes, read.isWhole), path), {
      firstLine: first_line ?? 1,
      lineCount: line_count ?? Number.POSITIVE_INFINITY,
      maxCharacters: context.outputCharacters,
      isWhole: read.isWhole,
    })
    return succeeded({ kind: 'text', text: excerpt.text, path }, `${excerpt.text}\n[${path}: ${excerpt.note}]`)
  },
})

/** A range of lines with a note on which part of the file it is. */
export function linesOf(
  text: string,
  range: { firstLine: number; lineCount: number; maxCharacters: number; isWhole: boolean },
): { text: string; note: string } {
  if (text === '') return { text: '', note: 'the file is empty' }
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const total = range.isWhole ? String(lines.length) : `more than ${lines.length}`
  if (range.firstLine > lines.length) return { text: '', note: `the file has only ${total} lines` }
  const picked: string[] = []
  let room = range.maxCharacters
  for (const line of lines.slice(range.firstLine - 1, range.firstLine - 1 + range.lineCount)) {
    if (line.length > room) {
      // A single line beyond the limit is cut, because it could otherwise never be read.
      if (picked.length === 0) picked.push(`${line.slice(0, range.maxCharacters)}…`)
      break
    }
    picked.push(line)
    room -= line.length + 1
  }
  const lastLine = range.firstLine + picked.length - 1
  const more = lastLine < lines.length || !range.isWhole ? '; more lines follow' : ''
  const shown = lastLine === range.firstLine ? `line ${lastLine}` : `lines ${range.firstLine} to ${lastLine}`
  return { text: picked.join('\n'), note: `${shown} of ${total}${more}` }
}

/** The end of a cut file may be inside of a character; its last line is dropped. */
function trimmed(bytes: Uint8Array, isWhole: boolean): Uint8Array {
  if (isWhole) return bytes
  const end = bytes.lastIndexOf(0x0a)
  return end < 0 ? bytes : bytes.subarray(0, end + 1)
}

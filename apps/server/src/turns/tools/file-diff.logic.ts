import type { ToolResult } from '@threadbox/protocol/public'
import { structuredPatch } from 'diff'

/** Longest diff in a card, in characters; a longer one is cut and marked as cut. */
const maxDiffCharacters = 64 * 1024
/** With more changed lines a diff takes seconds and is too long to read. */
const maxEditLength = 4000

type DiffResult = Extract<ToolResult, { kind: 'diff' }>

/** The change of one file in the form of its card. `before` is undefined for a new file. */
export function diffOf(path: string, before: string | undefined, after: string): DiffResult {
  const base = { kind: 'diff' as const, path, isNew: before === undefined }
  const patch = structuredPatch(path, path, before ?? '', after, '', '', { context: 3, maxEditLength })
  if (patch === undefined) {
    return { ...base, addedLines: lineCount(after), removedLines: lineCount(before ?? ''), diff: '', isTruncated: true }
  }
  const changed = patch.hunks.flatMap((hunk) => hunk.lines)
  const hunks = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ])
  const diff = [`--- ${path}`, `+++ ${path}`, ...hunks, ''].join('\n')
  return {
    ...base,
    addedLines: changed.filter((line) => line.startsWith('+')).length,
    removedLines: changed.filter((line) => line.startsWith('-')).length,
    diff: diff.slice(0, maxDiffCharacters),
    isTruncated: diff.length > maxDiffCharacters,
  }
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

import type { ToolResult } from '@threadbox/protocol/public'
import { structuredPatch } from 'diff'

/** Longest diff that a card carries, in characters; more is cut and said to be cut. */
const maxDiffCharacters = 64 * 1024
/** Beyond so many changed lines a diff costs seconds and nobody reads it. */
const maxEditLength = 4000

type DiffResult = Extract<ToolResult, { kind: 'diff' }>

/** The change of one file as its card shows it. `before` is undefined for a new file. */
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

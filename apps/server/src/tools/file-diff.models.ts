import type { ToolResult } from '@threadbox/protocol/public'
import { createTwoFilesPatch } from 'diff'

/** Longest diff that a card carries, in characters; more is cut and said to be cut. */
const maxDiffCharacters = 64 * 1024
/** Beyond so many changed lines a diff costs seconds and nobody reads it. */
const maxEditLength = 4000

type DiffResult = Extract<ToolResult, { kind: 'diff' }>

/** The change of one file as its card shows it. `before` is undefined for a new file. */
export function diffOf(path: string, before: string | undefined, after: string): DiffResult {
  const base = { kind: 'diff' as const, path, isNew: before === undefined }
  const patch = createTwoFilesPatch(path, path, before ?? '', after, '', '', { context: 3, maxEditLength })
  if (patch === undefined) {
    return { ...base, addedLines: lineCount(after), removedLines: lineCount(before ?? ''), diff: '', isTruncated: true }
  }
  const body = patch.split('\n').slice(1)
  const counted = body.slice(2)
  return {
    ...base,
    addedLines: counted.filter((line) => line.startsWith('+')).length,
    removedLines: counted.filter((line) => line.startsWith('-')).length,
    diff: body.join('\n').slice(0, maxDiffCharacters),
    isTruncated: body.join('\n').length > maxDiffCharacters,
  }
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

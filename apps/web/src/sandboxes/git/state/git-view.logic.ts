import type { GitFile } from '@threadbox/sdk'
import { cleanPath, shownName } from '../../../page/content/state/names.logic.ts'

/** What the git pane of a thread showed last. */
export type GitView = {
  /** Null: the nearest one. */
  repository: string | null
  /** The file whose diff is shown, by its path in the repository. */
  file: string | null
}

/** Parses a stored view; invalid fields get their defaults. */
export function readGitView(value: unknown): GitView {
  const { repository, file } = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return {
    repository: typeof repository === 'string' ? cleanPath(repository) : null,
    file: typeof file === 'string' ? file : null,
  }
}

/** A line of a file that is safe to display: tabs stay, other control characters become symbols. */
export function shownLine(text: string): string {
  return text.split('\t').map(shownName).join('\t')
}

const tabColumns = 4

/** The width of a line in columns of a monospaced font; characters of wide scripts take two. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) {
    if (character === '\t') columns += tabColumns - (columns % tabColumns)
    else columns += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1
  }
  return columns
}

/** The number of changed lines of a file; null if git doesn’t count them. */
export function changedLinesOf({ addedLines, removedLines }: GitFile): number | null {
  return addedLines === null || removedLines === null ? null : addedLines + removedLines
}

/** The letter that git uses for each kind of change. */
export const changeLetters = {
  modified: 'M',
  added: 'A',
  deleted: 'D',
  renamed: 'R',
  'type-changed': 'T',
  conflicted: 'U',
  untracked: '?',
} as const satisfies Record<GitFile['change'], string>

import type { GitFile } from '@threadbox/sdk'
import { cleanPath, shownName } from '../../../page/content/state/names.models.ts'

/** What the git pane of a thread showed last. */
export type GitView = {
  /** Null: the nearest one. */
  repository: string | null
  /** The file whose difference is shown, by its path below the repository. */
  file: string | null
}

/** What was remembered; what cannot be understood is as it was at first. */
export function readGitView(value: unknown): GitView {
  const { repository, file } = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return {
    repository: typeof repository === 'string' ? cleanPath(repository) : null,
    file: typeof file === 'string' ? file : null,
  }
}

/** A line of a file as it may stand on a page: tabs stay, other control characters are signs. */
export function shownLine(text: string): string {
  return text.split('\t').map(shownName).join('\t')
}

const tabColumns = 4

/** How many columns of a monospaced font a line takes; characters of wide scripts take two. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) {
    if (character === '\t') columns += tabColumns - (columns % tabColumns)
    else columns += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1
  }
  return columns
}

/** All changed lines of a file; null where they are not counted. */
export function changedLinesOf({ addedLines, removedLines }: GitFile): number | null {
  return addedLines === null || removedLines === null ? null : addedLines + removedLines
}

/** A letter for each kind of change, as git has them. */
export const changeLetters = {
  modified: 'M',
  added: 'A',
  deleted: 'D',
  renamed: 'R',
  'type-changed': 'T',
  conflicted: 'U',
  untracked: '?',
} as const satisfies Record<GitFile['change'], string>

import { type Entry, type FileEntry, isThreadboxFile, type Turn } from '@threadbox/sdk'
import { isInside, nameOfPath } from '../../content/state/names.logic.ts'

/** What the last turn did to a file, as far as its steps report it; lines only if they were counted. */
export type FileChange = { path: string; isNew: boolean; addedLines: number; removedLines: number }

/** What the last turn changed, from its steps and from file times since it began. `until` is null while it runs. */
export type TurnChanges = { since: number; until: number | null; files: ReadonlyMap<string, FileChange> }

/** File times and the server’s clock are of one host. Up to this much is between a write and the end of its step. */
const graceMs = 2000

export function turnChangesOf(entries: readonly Entry[], turns: Readonly<Record<string, Turn>>): TurnChanges | null {
  const latest = entries.findLast((entry) => turns[entry.turnId] !== undefined)
  const turn = latest === undefined ? undefined : turns[latest.turnId]
  if (turn === undefined) return null
  const files = new Map<string, FileChange>()
  for (const entry of entries) {
    if (entry.turnId !== turn.id || entry.kind !== 'tool-call' || entry.result?.kind !== 'diff') continue
    const { path, isNew, addedLines, removedLines } = entry.result
    const before = files.get(path)
    files.set(path, {
      path,
      isNew: (before?.isNew ?? false) || isNew,
      addedLines: (before?.addedLines ?? 0) + addedLines,
      removedLines: (before?.removedLines ?? 0) + removedLines,
    })
  }
  return { since: turn.startedAt, until: turn.endedAt, files }
}

/** What the last turn did to an entry of a list; null if nothing is known. */
export function changeOf(entry: FileEntry, changes: TurnChanges | null): FileChange | null {
  if (changes === null || isThreadboxFile(entry.path)) return null
  const reported = changes.files.get(entry.path)
  if (reported !== undefined) return reported
  const { since, until } = changes
  const isWithin = entry.modifiedAt >= since && (until === null || entry.modifiedAt <= until + graceMs)
  return entry.type === 'file' && isWithin ? { path: entry.path, isNew: false, addedLines: 0, removedLines: 0 } : null
}

/** All known changes of the last turn: those that its steps report, and those in loaded lists. */
export function changedFiles(
  changes: TurnChanges | null,
  listed: Iterable<FileEntry>,
): { path: string; entry: FileEntry | null; change: FileChange }[] {
  if (changes === null) return []
  const found = new Map<string, { path: string; entry: FileEntry | null; change: FileChange }>()
  for (const change of changes.files.values()) {
    if (!isThreadboxFile(change.path)) found.set(change.path, { path: change.path, entry: null, change })
  }
  for (const entry of listed) {
    const change = changeOf(entry, changes)
    if (change !== null) found.set(entry.path, { path: entry.path, entry, change })
  }
  return [...found.values()].sort((one, other) => (nameOfPath(one.path) < nameOfPath(other.path) ? -1 : 1))
}

/** The number of changed files in a folder and its subfolders. */
export function changedBelow(changed: readonly { path: string }[], folder: string): number {
  return changed.filter(({ path }) => isInside(path, folder)).length
}

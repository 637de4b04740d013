import type { FileEntry } from '@threadbox/sdk'
import { isInside } from '../../../page/content/state/names.logic.ts'
import type { TreeRow } from './tree.logic.ts'

/** The selected entries of the list. `at` has the keyboard focus; a range reaches from `anchor` to it. */
export type Selection = { at: string | null; anchor: string | null; paths: ReadonlySet<string> }

export const nothingSelected: Selection = { at: null, anchor: null, paths: new Set() }

/** How a row is selected: alone, added to or removed from the selection, or with all rows up to the anchor. */
export type SelectHow = 'only' | 'toggle' | 'range'

export function selectOnly(path: string | null): Selection {
  return path === null ? nothingSelected : { at: path, anchor: path, paths: new Set([path]) }
}

export function selectedWith(
  selection: Selection,
  path: string,
  { how, rows }: { how: SelectHow; rows: readonly TreeRow[] },
): Selection {
  if (how === 'only') return selectOnly(path)
  if (how === 'toggle') {
    const paths = new Set(selection.paths)
    if (!paths.delete(path)) paths.add(path)
    return { at: path, anchor: path, paths }
  }
  const all = pathsOf(rows)
  const [from, to] = [all.indexOf(selection.anchor ?? path), all.indexOf(path)]
  if (from < 0 || to < 0) return selectOnly(path)
  return {
    at: path,
    anchor: selection.anchor ?? path,
    paths: new Set(all.slice(Math.min(from, to), Math.max(from, to) + 1)),
  }
}

export function selectAll(selection: Selection, rows: readonly TreeRow[]): Selection {
  return { ...selection, paths: new Set(pathsOf(rows)) }
}

/** The selected entries that are shown, without those in a folder that is selected itself. */
export function selectedEntries(selection: Selection, rows: readonly TreeRow[]): FileEntry[] {
  const entries: FileEntry[] = []
  for (const row of rows) {
    if (row.kind !== 'entry' || !selection.paths.has(row.entry.path)) continue
    const above = entries.at(-1)
    // Rows of a folder follow it.
    if (above !== undefined && isInside(row.entry.path, above.path)) continue
    entries.push(row.entry)
  }
  return entries
}

/** Returns the selection after an entry was moved: the entry and those in it stay selected. */
export function selectionMoved(selection: Selection, from: string, to: string): Selection {
  const follow = (path: string) => (isInside(path, from) ? to + path.slice(from.length) : path)
  const { at, anchor, paths } = selection
  return { at: at && follow(at), anchor: anchor && follow(anchor), paths: new Set([...paths].map(follow)) }
}

function pathsOf(rows: readonly TreeRow[]): string[] {
  return rows.flatMap((row) => (row.kind === 'entry' ? row.entry.path : []))
}

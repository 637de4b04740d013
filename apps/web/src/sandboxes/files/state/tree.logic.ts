import type { FileEntry } from '@threadbox/sdk'

/**
 * What is known of a folder. `error`: it couldn’t be read this time; entries from an earlier read stay. `isUnknown`: it
 * was never read and isn’t being read.
 */
export type Listing = {
  isUnknown: boolean
  entries: readonly FileEntry[]
  total: number
  isLoading: boolean
  error: unknown
}

export type SortKey = 'name' | 'size' | 'modified'
export type Sort = { by: SortKey; isDescending: boolean }

/** A row of the list. `position` of `setSize` counts within its folder. */
export type TreeRow =
  | { kind: 'entry'; key: string; level: number; entry: FileEntry; isOpen: boolean; position: number; setSize: number }
  | { kind: 'loading' | 'empty'; key: string; level: number; folder: string }
  | { kind: 'failed'; key: string; level: number; folder: string; error: unknown }
  /** The folder contains `hidden` more entries than are shown. */
  | { kind: 'cut'; key: string; level: number; folder: string; hidden: number }

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Folders first; entries of equal size or time are sorted by name. */
export function sorted(entries: readonly FileEntry[], sort: Sort): FileEntry[] {
  const sign = sort.isDescending ? -1 : 1
  const byName = (one: FileEntry, other: FileEntry) =>
    collator.compare(one.name, other.name) || (one.name < other.name ? -1 : 1)
  const order = {
    name: () => 0,
    size: (one: FileEntry, other: FileEntry) => one.sizeBytes - other.sizeBytes,
    modified: (one: FileEntry, other: FileEntry) => one.modifiedAt - other.modifiedAt,
  }[sort.by]
  return entries.toSorted(
    (one, other) => Number(isFolder(other)) - Number(isFolder(one)) || sign * (order(one, other) || byName(one, other)),
  )
}

export function isFolder(entry: FileEntry): boolean {
  return entry.type === 'directory'
}

/** The rows of a folder, with those of open folders below each. */
export function treeRows(
  folder: string,
  known: { listings: ReadonlyMap<string, Listing>; open: ReadonlySet<string>; sort: Sort },
  level = 1,
): TreeRow[] {
  const listing = known.listings.get(folder)
  if (listing === undefined || (listing.isLoading && listing.entries.length === 0)) {
    return [{ kind: 'loading', key: `loading ${folder}`, level, folder }]
  }
  if (listing.isUnknown) return []
  if (listing.error !== null && listing.entries.length === 0) {
    return [{ kind: 'failed', key: `failed ${folder}`, level, folder, error: listing.error }]
  }
  if (listing.entries.length === 0) return [{ kind: 'empty', key: `empty ${folder}`, level, folder }]
  const entries = sorted(listing.entries, known.sort)
  const rows: TreeRow[] = []
  for (const [index, entry] of entries.entries()) {
    const isOpen = isFolder(entry) && known.open.has(entry.path)
    rows.push({
      kind: 'entry',
      key: entry.path,
      level,
      entry,
      isOpen,
      position: index + 1,
      setSize: entries.length,
    })
    if (isOpen) for (const row of treeRows(entry.path, known, level + 1)) rows.push(row)
  }
  const hidden = listing.total - entries.length
  if (hidden > 0) rows.push({ kind: 'cut', key: `cut ${folder}`, level, folder, hidden })
  return rows
}

/** The folders that are needed to draw the tree: the shown one, and the open ones inside it that can be reached. */
export function foldersOf(folder: string, open: readonly string[]): string[] {
  const inside = open.filter((path) => path !== folder && path.startsWith(folder === '/' ? '/' : `${folder}/`))
  const shown = new Set([folder])
  // A folder counts if every folder above it is open too. Shorter paths are those above.
  for (const path of inside.toSorted((one, other) => one.length - other.length)) {
    const above = path.slice(0, path.lastIndexOf('/')) || '/'
    if (shown.has(above)) shown.add(path)
  }
  return [...shown].slice(0, mostFolders)
}

/** The most folders that the server watches. */
const mostFolders = 32

/** The rows to draw: those in view and some around them. */
export function windowOf(view: { scrollTop: number; height: number; rowHeight: number; count: number }): {
  from: number
  to: number
} {
  const { scrollTop, height, rowHeight, count } = view
  const from = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - overscan)
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + overscan)
  return { from, to: Math.max(from, to) }
}

const overscan = 12

/** The row that a key moves to; null for other keys. */
export function rowAfterKey(key: string, state: { at: number; count: number; page: number }): number | null {
  const { at, count, page } = state
  const target: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }
  const next = target[key]
  return next === undefined || count === 0 ? null : Math.max(0, Math.min(count - 1, next))
}

/** The next entry whose name begins with the typed text, starting after `at` and wrapping around. */
export function rowTyped(rows: readonly TreeRow[], typed: string, at: number): number | null {
  const wanted = typed.toLocaleLowerCase()
  for (let step = 1; step <= rows.length; step += 1) {
    const index = (at + step) % rows.length
    const row = rows[index]
    if (row?.kind === 'entry' && row.entry.name.toLocaleLowerCase().startsWith(wanted)) return index
  }
  return null
}

/** The folder that contains a row; null if it isn’t shown. */
export function rowAbove(rows: readonly TreeRow[], at: number): number | null {
  const level = rows[at]?.level ?? 1
  const above = rows.findLastIndex((row, index) => index < at && row.kind === 'entry' && row.level === level - 1)
  return above < 0 ? null : above
}

/** The first entry in an open folder; null if there is none. */
export function firstInside(rows: readonly TreeRow[], at: number): number | null {
  const [row, next] = [rows[at], rows[at + 1]]
  return row !== undefined && next?.kind === 'entry' && next.level === row.level + 1 ? at + 1 : null
}

import { cleanPath, homeFolder, isInside, parentOf } from '../../../page/content/state/names.logic.ts'
import type { Sort, SortKey } from './tree.logic.ts'

/** What the files pane of a thread showed last. */
export type FilesView = {
  folder: string
  /** Folders whose entries are shown below them. */
  open: string[]
  /** The file that is shown below the list. */
  file: string | null
  sort: Sort
  isChangedOnly: boolean
}

const sortKeys: readonly SortKey[] = ['name', 'size', 'modified']
const mostOpen = 100

export const firstView: FilesView = {
  folder: homeFolder,
  open: [],
  file: null,
  sort: { by: 'name', isDescending: false },
  isChangedOnly: false,
}

/** Parses a stored view; invalid fields get their defaults. */
export function readFilesView(value: unknown): FilesView {
  if (typeof value !== 'object' || value === null) return firstView
  const { folder, open, file, sort, isChangedOnly } = value as Record<string, unknown>
  const path = (candidate: unknown) => (typeof candidate === 'string' ? cleanPath(candidate) : null)
  const order = typeof sort === 'object' && sort !== null ? (sort as Record<string, unknown>) : {}
  return {
    folder: path(folder) ?? homeFolder,
    open: Array.isArray(open) ? open.flatMap((one) => path(one) ?? []).slice(0, mostOpen) : [],
    file: path(file),
    sort: {
      by: sortKeys.find((key) => key === order.by) ?? 'name',
      isDescending: order.isDescending === true,
    },
    isChangedOnly: isChangedOnly === true,
  }
}

/** Returns the view of another folder; a shown file stays. */
export function withFolder(view: FilesView, folder: string): FilesView {
  return { ...view, folder, isChangedOnly: false }
}

export function withToggled(view: FilesView, folder: string): FilesView {
  const open = view.open.includes(folder) ? view.open.filter((path) => path !== folder) : [...view.open, folder]
  return { ...view, open: open.slice(-mostOpen) }
}

/** Returns the view with a file shown. If the file can’t be reached in the current folder, its own folder is shown. */
export function withFile(view: FilesView, file: string): FilesView {
  const isBelow = isInside(file, view.folder)
  return {
    ...view,
    file,
    isChangedOnly: false,
    folder: isBelow && isReachable(view, file) ? view.folder : parentOf(file),
  }
}

/** True if all folders between the shown one and the file are open. */
function isReachable(view: FilesView, file: string): boolean {
  for (let above = parentOf(file); above !== view.folder; above = parentOf(above)) {
    if (!view.open.includes(above)) return false
  }
  return true
}

export function withSort(view: FilesView, by: SortKey): FilesView {
  const isSame = view.sort.by === by
  // Largest and newest come first by default.
  return { ...view, sort: { by, isDescending: isSame ? !view.sort.isDescending : by !== 'name' } }
}

/** Returns the view after an entry was moved, or removed (`to` null). */
export function withMoved(view: FilesView, from: string, to: string | null): FilesView {
  const follow = (path: string) => (to === null ? null : `${to}${path.slice(from.length)}`)
  const place = (path: string) => (isInside(path, from) ? follow(path) : path)
  return {
    ...view,
    folder: place(view.folder) ?? parentOf(from),
    open: view.open.flatMap((path) => place(path) ?? []),
    file: view.file === null ? null : place(view.file),
  }
}

import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNow } from '../../../page/client/use-now.ts'
import { useProblem } from '../../../page/parts/problem.ts'
import { changedBelow, changeOf, type TurnChanges } from '../../../page/thread/state/turn-changes.logic.ts'
import { Button } from '../../../ui/button.tsx'
import { useScroll } from '../../../ui/use-scroll.ts'
import type { SelectHow, Selection } from '../state/selection.logic.ts'
import {
  firstInside,
  isFolder,
  rowAbove,
  rowAfterKey,
  rowTyped,
  type Sort,
  type SortKey,
  type TreeRow,
  windowOf,
} from '../state/tree.logic.ts'
import { nothingTyped, typedAfter } from '../state/type-ahead.logic.ts'
import { FileRow } from './file-row.tsx'

const rowHeight = 30

export type FileListActions = {
  onToggle: (folder: string) => void
  onFolder: (folder: string) => void
  onFile: (path: string) => void
  onSort: (by: SortKey) => void
  onRename: (path: string) => void
  /** Removes the selected entries. */
  onRemove: () => void
  onMoveInto: (paths: readonly string[], folder: string) => void
  onUp: () => void
  onRetry: (folder: string) => void
}

/** A folder with the entries of open folders. Only the rows in view are rendered. */
export function FileList(props: {
  label: string
  rows: readonly TreeRow[]
  sort: Sort
  selection: Selection
  /** A tap adds a row to the selection, and opens nothing. */
  isSelecting: boolean
  onSelect: (path: string, how: SelectHow) => void
  onSelectAll: () => void
  shownFile: string | null
  changes: TurnChanges | null
  changed: readonly { path: string }[]
  actions: FileListActions
}) {
  const { t } = useTranslation('files')
  const { rows, selection, actions, changes } = props
  const id = useId()
  const now = useNow(60_000)
  const scroll = useRef<HTMLDivElement>(null)
  const view = useScroll(scroll)
  const at = rows.findIndex((row) => row.kind === 'entry' && row.entry.path === selection.at)
  const { from, to } = windowOf({ ...view, rowHeight, count: rows.length })
  useKeepInView(scroll, at)
  const keys = useListKeys({ ...props, at, page: Math.max(1, Math.floor(view.height / rowHeight) - 1) })
  const rowId = (index: number) => `${id}-${index}`
  return (
    <div className="file-list">
      <ListHead sort={props.sort} onSort={actions.onSort} />
      <div
        ref={scroll}
        className="file-scroll"
        role="tree"
        aria-label={props.label}
        aria-describedby={`${id}-keys`}
        aria-multiselectable="true"
        aria-activedescendant={at >= from && at < to ? rowId(at) : undefined}
        tabIndex={0}
        {...keys}
      >
        <div className="file-rows" role="presentation" style={{ height: rows.length * rowHeight }}>
          {rows.slice(from, to).map((row, offset) => {
            const index = from + offset
            const top = index * rowHeight
            if (row.kind !== 'entry') return <NoteRow key={row.key} row={row} top={top} onRetry={actions.onRetry} />
            const { entry } = row
            return (
              <FileRow
                key={row.key}
                id={rowId(index)}
                row={row}
                top={top}
                isActive={index === at}
                isSelected={selection.paths.has(entry.path)}
                isSelecting={props.isSelecting}
                isShown={entry.path === props.shownFile}
                change={changeOf(entry, changes)}
                changedInside={isFolder(entry) && !row.isOpen ? changedBelow(props.changed, entry.path) : 0}
                now={now}
                onToggle={() => actions.onToggle(entry.path)}
                onSelect={(how) => {
                  props.onSelect(entry.path, how)
                  if (how === 'only' && !isFolder(entry)) actions.onFile(entry.path)
                }}
                onOpen={() => isFolder(entry) && actions.onFolder(entry.path)}
                draggedFrom={() => (selection.paths.has(entry.path) ? [...selection.paths] : [entry.path])}
                onMoveInto={(paths) => actions.onMoveInto(paths, entry.path)}
              />
            )
          })}
        </div>
      </div>
      <p id={`${id}-keys`} className="sr">
        {t('listKeys')}
      </p>
    </div>
  )
}

function ListHead(props: { sort: Sort; onSort: (by: SortKey) => void }) {
  const { t } = useTranslation('files')
  const { sort } = props
  const Arrow = sort.isDescending ? ArrowDown : ArrowUp
  const head = (by: SortKey, className: string) => (
    <span className={className}>
      <button type="button" aria-pressed={sort.by === by} onClick={() => props.onSort(by)}>
        {t(`column.${by}`)}
        {sort.by === by && <Arrow className="i" size={12} />}
      </button>
    </span>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={t('sortBy')} className="file-head">
      {head('name', 'file-name')}
      {head('size', 'file-size')}
      {head('modified', 'file-time')}
    </div>
  )
}

/** A row that isn’t an entry: a folder that is loading, empty, too large or unreadable. */
function NoteRow(props: { row: Exclude<TreeRow, { kind: 'entry' }>; top: number; onRetry: (folder: string) => void }) {
  const { t } = useTranslation('files')
  const problemOf = useProblem()
  const { row } = props
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      aria-level={row.level}
      aria-selected={false}
      className="file-row file-row--note"
      style={{ top: props.top, '--level': row.level } as CSSProperties}
    >
      <span className="file-name">
        <span className="file-toggle" />
        {row.kind === 'loading' && t('loading')}
        {row.kind === 'empty' && t('emptyFolder')}
        {row.kind === 'cut' && t('moreEntries', { count: row.hidden })}
        {row.kind === 'failed' && (
          <>
            <span className="trunc">{problemOf(row.error).message}</span>
            <Button size="sm" variant="ghost" onClick={() => props.onRetry(row.folder)}>
              {t('readAgain')}
            </Button>
          </>
        )}
      </span>
    </div>
  )
}

/** The active row may not be rendered yet, but its position is known. */
function useKeepInView(scroll: RefObject<HTMLDivElement | null>, at: number): void {
  useLayoutEffect(() => {
    const element = scroll.current
    if (element === null || at < 0) return
    const top = at * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight
    }
  }, [scroll, at])
}

function useListKeys(props: {
  rows: readonly TreeRow[]
  at: number
  page: number
  onSelect: (path: string, how: SelectHow) => void
  onSelectAll: () => void
  actions: FileListActions
}): { onKeyDown: (event: KeyboardEvent) => void; onFocus: () => void; onBlur: () => void } {
  const typed = useRef(nothingTyped)
  const forgetTyped = () => {
    typed.current = nothingTyped
  }
  const { rows, at, actions } = props
  const select = (index: number | null, how: SelectHow = 'only') => {
    const row = index === null ? undefined : rows[index]
    if (row?.kind === 'entry') props.onSelect(row.entry.path, how)
    return row !== undefined
  }
  const onKeyDown = (event: KeyboardEvent) => {
    typed.current = typedAfter(typed.current, { ...keyOf(event), at: Date.now() })
    if (event.target !== event.currentTarget || event.altKey) return
    const row = rows[at]
    const entry = row?.kind === 'entry' ? row.entry : null
    const isOpen = row?.kind === 'entry' && row.isOpen
    const done = () => {
      event.preventDefault()
      event.stopPropagation()
    }
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'a' || event.shiftKey) return
      done()
      props.onSelectAll()
      return
    }
    const next = rowAfterKey(event.key, { at, count: rows.length, page: props.page })
    if (next !== null) {
      done()
      select(next, event.shiftKey ? 'range' : 'only')
    } else if (event.key === ' ' && entry !== null) {
      done()
      props.onSelect(entry.path, 'toggle')
    } else if (event.key === 'Backspace') {
      done()
      actions.onUp()
    } else if (entry !== null && keyOnEntry(event.key, { entry, isOpen, actions })) done()
    else if (entry !== null && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      done()
      select(event.key === 'ArrowLeft' ? rowAbove(rows, at) : firstInside(rows, at))
    } else if (event.key.length === 1 && event.key !== ' ') {
      const { text } = typed.current
      if (select(rowTyped(rows, text, text.length > 1 ? at - 1 : at))) done()
    }
  }
  return { onKeyDown, onFocus: forgetTyped, onBlur: forgetTyped }
}

function keyOf(event: KeyboardEvent): { key: string; isShortcut: boolean } {
  return { key: event.key, isShortcut: event.ctrlKey || event.metaKey || event.altKey }
}

/** True if the key applied to the entry. */
function keyOnEntry(
  key: string,
  on: { entry: Extract<TreeRow, { kind: 'entry' }>['entry']; isOpen: boolean; actions: FileListActions },
): boolean {
  const { entry, isOpen, actions } = on
  const { path } = entry
  if (key === 'Enter') {
    if (isFolder(entry)) actions.onFolder(path)
    else actions.onFile(path)
  } else if (key === 'ArrowRight' && isFolder(entry) && !isOpen) actions.onToggle(path)
  else if (key === 'ArrowLeft' && isFolder(entry) && isOpen) actions.onToggle(path)
  else if (key === 'F2') actions.onRename(path)
  else if (key === 'Delete') actions.onRemove()
  else return false
  return true
}

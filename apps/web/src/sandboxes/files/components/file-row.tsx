import type { FileEntry } from '@threadbox/sdk'
import {
  ChevronRight,
  File,
  FileAudio,
  FileCode,
  FileImage,
  FileSpreadsheet,
  FileText,
  FileVideo,
  Folder,
  FolderSymlink,
  Link2,
  Square,
  SquareCheck,
} from 'lucide-react'
import type { CSSProperties, MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { isTouch } from '../../../page/client/keyboard.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import type { FileChange } from '../../../page/thread/state/turn-changes.logic.ts'
import { dragFiles, useFolderDrop } from '../state/file-drag.ts'
import { kindOf, languageOf } from '../state/kinds.logic.ts'
import type { SelectHow } from '../state/selection.logic.ts'
import { isFolder, type TreeRow } from '../state/tree.logic.ts'
import { FileName } from './file-name.tsx'

type EntryRow = Extract<TreeRow, { kind: 'entry' }>

/** One row of the list. The list has the focus and handles the actions. */
export function FileRow(props: {
  id: string
  row: EntryRow
  top: number
  isActive: boolean
  isSelected: boolean
  isSelecting: boolean
  isShown: boolean
  change: FileChange | null
  changedInside: number
  now: number
  onToggle: () => void
  onSelect: (how: SelectHow) => void
  onOpen: () => void
  /** The paths that are dragged with it. */
  draggedFrom: () => string[]
  onMoveInto: (paths: readonly string[]) => void
}) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { entry, level, isOpen, position, setSize } = props.row
  const drop = useFolderDrop(props.onMoveInto)
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    <div
      id={props.id}
      role="treeitem"
      className="file-row"
      style={{ top: props.top, '--level': level } as CSSProperties}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={setSize}
      aria-selected={props.isSelected}
      {...(isFolder(entry) ? { 'aria-expanded': isOpen } : {})}
      data-active={props.isActive || undefined}
      data-shown={props.isShown || undefined}
      data-path={entry.path}
      draggable
      onDragStart={(event) => dragFiles(event, props.draggedFrom())}
      {...(isFolder(entry) ? drop.handlers : {})}
      data-over={drop.isDraggedOver || undefined}
      onClick={(event) => {
        if (props.isSelecting) props.onSelect('toggle')
        // Touch screens have no double click.
        else if (isTouch() && isFolder(entry)) props.onOpen()
        else props.onSelect(selectionMode(event))
      }}
      onDoubleClick={() => props.isSelecting || props.onOpen()}
    >
      <span className="file-name">
        {isFolder(entry) ? (
          <span
            aria-hidden="true"
            className="file-toggle"
            onClick={(event) => {
              event.stopPropagation()
              props.onToggle()
            }}
            onDoubleClick={(event) => event.stopPropagation()}
          >
            <ChevronRight className="i" size={14} />
          </span>
        ) : (
          <span className="file-toggle" />
        )}
        {props.isSelecting && <SelectMark isSelected={props.isSelected} />}
        <EntryIcon entry={entry} />
        <FileName name={entry.name} />
        {entry.linkTarget !== null && <Link2 className="i faint" size={12} aria-label={t('link')} />}
        <ChangeMark change={props.change} changedInside={props.changedInside} />
      </span>
      <span className="file-size">{entry.type === 'file' ? format.bytes(entry.sizeBytes) : ''}</span>
      <span className="file-time" title={format.fullMoment(entry.modifiedAt)}>
        {format.moment(entry.modifiedAt, props.now)}
      </span>
    </div>
  )
}

/** What a tap toggles; the row itself announces to screen readers whether it is selected. */
function SelectMark(props: { isSelected: boolean }) {
  const Icon = props.isSelected ? SquareCheck : Square
  return <Icon className="i file-mark" size={16} aria-hidden="true" />
}

function selectionMode(event: MouseEvent): SelectHow {
  if (event.shiftKey) return 'range'
  return event.ctrlKey || event.metaKey ? 'toggle' : 'only'
}

export function ChangeMark(props: { change: FileChange | null; changedInside?: number }) {
  const { t } = useTranslation('files')
  const { change, changedInside = 0 } = props
  if (change === null) {
    return changedInside === 0 ? null : (
      <span className="badge badge--acc">{t('changedInside', { count: changedInside })}</span>
    )
  }
  return (
    <>
      <span className="badge badge--acc">{change.isNew ? t('new') : t('changed')}</span>
      {change.addedLines > 0 && <span className="add file-lines">+{change.addedLines}</span>}
      {change.removedLines > 0 && <span className="del file-lines">−{change.removedLines}</span>}
    </>
  )
}

const iconOfKind = {
  text: FileText,
  markdown: FileText,
  csv: FileSpreadsheet,
  excel: FileSpreadsheet,
  image: FileImage,
  'old-excel': FileSpreadsheet,
  pdf: FileText,
  html: FileCode,
  notebook: FileCode,
  audio: FileAudio,
  video: FileVideo,
  archive: File,
} as const

export function EntryIcon(props: { entry: Pick<FileEntry, 'name' | 'type' | 'linkTarget'> }) {
  const { entry } = props
  const kind = kindOf(entry.name)
  const isCode = kind === 'text' && languageOf(entry.name) !== ''
  const Icon =
    entry.type === 'directory'
      ? entry.linkTarget === null
        ? Folder
        : FolderSymlink
      : isCode
        ? FileCode
        : iconOfKind[kind]
  return <Icon className="i file-icon" size={16} />
}

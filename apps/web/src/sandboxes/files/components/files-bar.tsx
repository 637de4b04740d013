import type { FileEntry } from '@threadbox/sdk'
import type { TFunction } from 'i18next'
import { BookOpen, Download, Ellipsis, FolderInput, ListChecks, Pencil, RotateCw, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { isTouch } from '../../../page/client/keyboard.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { isFolder, type Listing } from '../state/tree.logic.ts'
import type { FileQuestion } from './file-dialogs.tsx'

/** All files or the changed ones, their number, and the actions on the selected ones. */
export function FilesBar(props: {
  threadId: string
  listing: (Listing & { retry: () => void }) | undefined
  changedCount: number
  isChangedOnly: boolean
  onChangedOnly: (isChangedOnly: boolean) => void
  /** The selected entries of the shown folder. */
  selected: readonly FileEntry[]
  /** A tap adds a row to the selection. Only on devices without keyboard and pointer. */
  isSelecting: boolean
  onSelecting: (isSelecting: boolean) => void
  folder: string
  onAsk: (question: FileQuestion) => void
}) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { listing, changedCount, isChangedOnly, selected, isSelecting } = props
  return (
    <div className="files-bar">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div className="seg" role="group" aria-label={t('which')}>
        <button type="button" aria-pressed={!isChangedOnly} onClick={() => props.onChangedOnly(false)}>
          {t('allFiles')}
        </button>
        <button type="button" aria-pressed={isChangedOnly} onClick={() => props.onChangedOnly(true)}>
          {t('changedThisTurn')}
          {changedCount > 0 && <span className="badge badge--acc">{format.number(changedCount)}</span>}
        </button>
      </div>
      <span className="grow" />
      {listing !== undefined && listing.entries.length > 0 && !isChangedOnly && (
        <span className="faint files-count" data-selected={isSelecting || undefined}>
          {selected.length > 1 || isSelecting
            ? t('selected', { count: selected.length, total: format.number(selected.length) })
            : totalOf(listing, { t, format })}
        </span>
      )}
      {isTouch() && !isChangedOnly && (
        <IconButton
          label={t('selectSeveral')}
          className={isSelecting ? 'is-on' : undefined}
          aria-pressed={isSelecting}
          onClick={() => props.onSelecting(!isSelecting)}
        >
          <ListChecks className="i" size={16} />
        </IconButton>
      )}
      <IconButton label={t('readAgain')} onClick={() => listing?.retry()}>
        <RotateCw className="i" size={14} />
      </IconButton>
      {selected.length > 0 && !isChangedOnly && (
        <SelectedMenu threadId={props.threadId} folder={props.folder} entries={selected} onAsk={props.onAsk} />
      )}
    </div>
  )
}

/** The number of entries and, once all are known, the total size of their files. */
function totalOf(
  { entries, total }: Listing,
  { t, format }: { t: TFunction<'files'>; format: ReturnType<typeof useFormat> },
): string {
  const items = t('entries', { count: total, total: format.number(total) })
  const files = entries.filter(({ type }) => type === 'file')
  if (files.length === 0 || entries.length < total) return items
  return t('sizeOf', { entries: items, size: format.bytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)) })
}

function SelectedMenu(props: {
  threadId: string
  folder: string
  entries: readonly FileEntry[]
  onAsk: (question: FileQuestion) => void
}) {
  const { t } = useTranslation(['files', 'skills'])
  const client = useClient()
  const { threadId, folder, entries } = props
  const [only] = entries
  const single = entries.length === 1 ? only : undefined
  const isFile = single !== undefined && !isFolder(single)
  const address = () => {
    if (single === undefined) {
      const start = folder === '/' ? 1 : folder.length + 1
      return client.files.archiveUrl(
        threadId,
        folder,
        entries.map(({ path }) => path.slice(start)),
      )
    }
    return isFile
      ? client.files.contentUrl(threadId, single.path, { download: true, wake: false })
      : client.files.archiveUrl(threadId, single.path)
  }
  // The menu restores the focus when it closes, and the dialog takes it after that.
  const ask = (question: FileQuestion) => setTimeout(() => props.onAsk(question))
  return (
    <Menu
      align="end"
      label={t('more')}
      trigger={
        <IconButton label={t('more')}>
          <Ellipsis className="i" size={16} />
        </IconButton>
      }
    >
      <MenuItem icon={<Download className="i" size={14} />} onSelect={() => download(address())}>
        {isFile ? t('download') : t('downloadZip')}
      </MenuItem>
      {single !== undefined && (
        <MenuItem
          icon={<Pencil className="i" size={14} />}
          end="F2"
          onSelect={() => ask({ kind: 'rename', path: single.path })}
        >
          {t('rename')}
        </MenuItem>
      )}
      <MenuItem icon={<FolderInput className="i" size={14} />} onSelect={() => ask({ kind: 'move', entries })}>
        {t('move')}
      </MenuItem>
      {single !== undefined && isFolder(single) && (
        <MenuItem
          icon={<BookOpen className="i" size={14} />}
          onSelect={() => ask({ kind: 'save-skill', path: single.path })}
        >
          {t('skills:saveFolder')}
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 className="i" size={14} />} isDanger onSelect={() => ask({ kind: 'remove', entries })}>
        {t('remove')}
      </MenuItem>
    </Menu>
  )
}

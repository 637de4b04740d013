import { Copy, FilePlus, FolderDown, FolderPlus, FolderUp, Plus, Upload } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { chosenFiles } from '../state/dropped-files.ts'
import { useTransfersStore } from '../state/transfers-context.tsx'
import type { FileQuestion } from './file-dialogs.tsx'

/** The actions on the shown folder. */
export function FilesActions(props: {
  threadId: string
  folder: string
  isAwake: boolean
  onAsk: (question: FileQuestion) => void
}) {
  const { t } = useTranslation('files')
  const { threadId, folder } = props
  const client = useClient()
  const transfers = useTransfersStore()
  const files = useRef<HTMLInputElement>(null)
  const directory = useRef<HTMLInputElement>(null)
  // The menu restores the focus when it closes, and the dialog takes it after that.
  const ask = (kind: 'new-file' | 'new-folder') => setTimeout(() => props.onAsk({ kind, path: folder }))
  const choose = (input: HTMLInputElement) => {
    if (input.files !== null) transfers.add(threadId, folder, chosenFiles(input.files))
    input.value = ''
  }
  return (
    <>
      <Menu
        align="end"
        label={t('newTitle')}
        trigger={
          <IconButton label={t('newTitle')}>
            <Plus className="i" size={16} />
          </IconButton>
        }
      >
        <MenuItem icon={<FilePlus className="i" size={14} />} onSelect={() => ask('new-file')}>
          {t('newFile')}
        </MenuItem>
        <MenuItem icon={<FolderPlus className="i" size={14} />} onSelect={() => ask('new-folder')}>
          {t('newFolder')}
        </MenuItem>
        <MenuItem
          icon={<Copy className="i" size={14} />}
          onSelect={() => setTimeout(() => props.onAsk({ kind: 'copy-from', folder }))}
        >
          {t('copyFrom.open')}
        </MenuItem>
      </Menu>
      <Menu
        align="end"
        label={t('upload')}
        trigger={
          <Button
            variant="ghost"
            size="sm"
            className="files-wide"
            aria-label={t('upload')}
            icon={<Upload className="i" size={14} />}
          >
            <span className="wide">{t('upload')}</span>
          </Button>
        }
      >
        <MenuItem icon={<Upload className="i" size={14} />} onSelect={() => files.current?.click()}>
          {t('uploadFiles')}
        </MenuItem>
        <MenuItem icon={<FolderUp className="i" size={14} />} onSelect={() => directory.current?.click()}>
          {t('uploadFolder')}
        </MenuItem>
      </Menu>
      <Tooltip label={t('downloadZipOf', { name: shownName(nameOfPath(folder)) || '/' })}>
        <a
          className="btn btn--ghost btn--sm files-wide"
          href={client.files.archiveUrl(threadId, folder)}
          aria-label={t('downloadZip')}
          download
        >
          <FolderDown className="i" size={14} />
          <span className="wide">{t('downloadZip')}</span>
        </a>
      </Tooltip>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-files-input="files"
        onChange={(event) => choose(event.target)}
      />
      <input
        ref={directory}
        type="file"
        hidden
        data-files-input="folder"
        {...{ webkitdirectory: '' }}
        onChange={(event) => choose(event.target)}
      />
    </>
  )
}

import { type FileEntry, isThreadboxError } from '@threadbox/sdk'
import { Download, MessageSquarePlus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { nameOfPath } from '../../../page/content/state/names.logic.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { usePageThread } from '../../panes/state/page-thread.ts'
import { useFileEntry } from '../api/files.queries.ts'
import { keptEdit } from '../state/edits.ts'
import { type FileKind, isTextKind, kindOf } from '../state/kinds.logic.ts'
import { FileName } from './file-name.tsx'
import { EntryIcon } from './file-row.tsx'
import { FileText } from './file-text.tsx'
import { MediaPreview } from './media-preview.tsx'
import { NotebookPreview } from './notebook-preview.tsx'
import { CsvPreview, ExcelPreview } from './table-preview.tsx'
import { MarkdownPreview } from './text-previews.tsx'

/** Kinds that are shown rendered, or as their source text. */
const richKinds: ReadonlySet<FileKind> = new Set(['markdown', 'csv', 'html', 'notebook'])

/** The open file, below the list. It follows changes, moves and removal of the file. */
export function FileViewer(props: {
  threadId: string
  path: string
  isReadable: boolean
  onFolder: (folder: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('files')
  const { threadId, path, onFolder } = props
  const query = useFileEntry(threadId, path, props.isReadable)
  const kind = kindOf(path)
  const [asText, setAsText] = useState(() => keptEdit(threadId, path) !== null)
  const entry = query.data
  const isDirectory = entry?.type === 'directory'
  // A link in a message may lead to a folder.
  useEffect(() => {
    if (isDirectory) onFolder(path)
  }, [isDirectory, onFolder, path])
  const isGone = isThreadboxError(query.error) && query.error.code === 'file.not-found'
  const name = nameOfPath(path)
  return (
    <section className="viewer" aria-label={t('fileOf', { name })}>
      <header className="viewer-h">
        <EntryIcon entry={entry ?? { name, type: 'file', linkTarget: null }} />
        <h3>
          <FileName name={name} />
        </h3>
        <Facts entry={isGone ? undefined : entry} />
        <span className="grow" />
        {richKinds.has(kind) && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
          <div className="seg" role="group" aria-label={t('showAs')}>
            <button type="button" aria-pressed={!asText} onClick={() => setAsText(false)}>
              {kind === 'csv' ? t('asTable') : t('asPreview')}
            </button>
            <button type="button" aria-pressed={asText} onClick={() => setAsText(true)}>
              {t('asText')}
            </button>
          </div>
        )}
        <ViewerActions threadId={threadId} path={path} onClose={props.onClose} />
      </header>
      {isGone && entry !== undefined && (
        <p className="files-note" role="status">
          {t('gone')}
        </p>
      )}
      <ViewerBody {...props} query={query} kind={kind} isText={asText || kind === 'text'} isGone={isGone} />
    </section>
  )
}

function Facts(props: { entry: FileEntry | undefined }) {
  const format = useFormat()
  const { entry } = props
  if (entry === undefined) return null
  return <span className="faint viewer-facts">{format.bytes(entry.sizeBytes)}</span>
}

function ViewerActions(props: { threadId: string; path: string; onClose: () => void }) {
  const { t } = useTranslation('files')
  const client = useClient()
  const page = usePageThread()
  const { threadId, path } = props
  return (
    <>
      {page?.threadId === threadId && (
        <IconButton label={t('attach')} onClick={() => page.append(`\`${path}\``)}>
          <MessageSquarePlus className="i" size={16} />
        </IconButton>
      )}
      <Tooltip label={t('download')}>
        <a
          className="btn btn--ghost btn--icon"
          href={client.files.contentUrl(threadId, path, { download: true, wake: false })}
          aria-label={t('download')}
          download
        >
          <Download className="i" size={16} />
        </a>
      </Tooltip>
      <IconButton label={t('closeFile')} onClick={props.onClose}>
        <X className="i" size={16} />
      </IconButton>
    </>
  )
}

/** Shows why the file can’t be displayed, and offers the download. */
function OnlyDownload(props: { threadId: string; path: string; sentence: string }) {
  const { t } = useTranslation('files')
  const client = useClient()
  return (
    <div className="files-none">
      <p>{props.sentence}</p>
      <a
        className="btn"
        href={client.files.contentUrl(props.threadId, props.path, { download: true, wake: false })}
        download
      >
        <Download className="i" size={14} />
        {t('download')}
      </a>
    </div>
  )
}

function ViewerBody(props: {
  threadId: string
  path: string
  isReadable: boolean
  query: ReturnType<typeof useFileEntry>
  kind: FileKind
  isText: boolean
  isGone: boolean
}) {
  const { t } = useTranslation('files')
  const { threadId, query, kind } = props
  const entry = query.data
  if (entry === undefined && query.isError) {
    return (
      <div className="sec">
        <LoadFailed error={query.error} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
      </div>
    )
  }
  if (entry === undefined) {
    return props.isReadable ? (
      <div className="sec">
        <Skeleton rows={4} label={t('loading')} />
      </div>
    ) : (
      <p className="files-none">{t('asleepFile')}</p>
    )
  }
  if (entry.type !== 'file') return <p className="files-none">{t('notAFile')}</p>
  const file = { threadId, entry, isReadable: props.isReadable }
  if (isTextKind(kind) && props.isText) return <FileText {...file} isGone={props.isGone} />
  if (kind === 'markdown') return <MarkdownPreview {...file} />
  if (kind === 'csv') return <CsvPreview {...file} />
  if (kind === 'excel') return <ExcelPreview {...file} />
  if (kind === 'notebook') return <NotebookPreview {...file} />
  if (kind === 'archive' || kind === 'old-excel') {
    const sentence = kind === 'archive' ? t('noPreview') : t('oldExcel')
    return <OnlyDownload threadId={threadId} path={props.path} sentence={sentence} />
  }
  return <MediaPreview {...file} kind={kind} />
}

import type { ToolCallEntry } from '@threadbox/sdk'
import { Download, File, FileImage, FileSpreadsheet, FileText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { classNames } from '../../../ui/class-names.ts'

type FileResult = Extract<NonNullable<ToolCallEntry['result']>, { kind: 'file' }>

/** Files that the agent shared, side by side. */
export function FileCards(props: { entries: readonly ToolCallEntry[] }) {
  const files = props.entries.flatMap((entry) =>
    entry.result?.kind === 'file' ? [{ id: entry.id, file: entry.result }] : [],
  )
  return (
    <div className={classNames('pair', files.length === 1 && 'pair--one')}>
      {files.map(({ id, file }) => (
        <FileCard key={id} file={file} />
      ))}
    </div>
  )
}

function FileCard(props: { file: FileResult }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const format = useFormat()
  const { file } = props
  const Icon = iconOf(file.mediaType, file.name)
  const extension = /\.([a-z0-9]{1,6})$/i.exec(file.name)?.[1]?.toUpperCase()
  return (
    <div className="item">
      <span className="tile">
        <Icon className="i" size={16} />
      </span>
      <div className="grow">
        <b className="trunc" title={file.path}>
          {file.name}
        </b>
        <span className="sub trunc">
          {[extension, format.bytes(file.sizeBytes), file.caption]
            .filter((part) => part != null && part !== '')
            .join(' · ')}
        </span>
      </div>
      <a
        className="btn btn--ghost btn--icon"
        href={client.urlOf(file.url)}
        download={file.name}
        aria-label={t('downloadFile', { name: file.name })}
        title={t('download')}
      >
        <Download className="i" size={16} />
      </a>
    </div>
  )
}

function iconOf(mediaType: string, name: string) {
  if (mediaType.startsWith('image/')) return FileImage
  if (/\.(?:csv|tsv|xlsx?|ods|parquet)$/i.test(name)) return FileSpreadsheet
  return mediaType.startsWith('text/') || mediaType === 'application/pdf' ? FileText : File
}

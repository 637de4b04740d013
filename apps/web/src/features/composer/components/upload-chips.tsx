import { FileText, RotateCw, TriangleAlert, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { Upload } from '../state/uploads-store.ts'

/** The files of the next message, each with how far it is. */
export function UploadChips(props: {
  uploads: readonly Upload[]
  onRemove: (uploadId: string) => void
  onRetry: (uploadId: string) => void
}) {
  const { t } = useTranslation('composer')
  if (props.uploads.length === 0) return null
  return (
    <ul className="atts" aria-label={t('files')}>
      {props.uploads.map((upload) => (
        <li key={upload.id} className="att" data-status={upload.status}>
          <UploadFace upload={upload} />
          {upload.status === 'failed' && (
            <IconButton
              size="sm"
              label={t('uploadAgain', { name: upload.name })}
              onClick={() => props.onRetry(upload.id)}
            >
              <RotateCw className="i" size={14} />
            </IconButton>
          )}
          <IconButton
            size="sm"
            label={t('removeFile', { name: upload.name })}
            onClick={() => props.onRemove(upload.id)}
          >
            <X className="i" size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

function UploadFace(props: { upload: Upload }) {
  const { t } = useTranslation('composer')
  const format = useFormat()
  const { upload } = props
  const isUploading = upload.status === 'uploading'
  const name = upload.attachment?.name ?? upload.name
  return (
    <>
      {upload.status === 'failed' ? <TriangleAlert className="i" size={14} /> : <FileText className="i" size={14} />}
      <span className="trunc" title={upload.attachment?.path ?? name}>
        {name}
      </span>
      <span className="faint num">
        {upload.status === 'failed'
          ? t('uploadFailed')
          : isUploading
            ? t('uploadProgress', { sent: format.bytes(upload.sentBytes), size: format.bytes(upload.sizeBytes) })
            : format.bytes(upload.sizeBytes)}
      </span>
      {isUploading && (
        <progress className="att-bar" value={upload.sentBytes} max={Math.max(1, upload.sizeBytes)} aria-label={name} />
      )}
    </>
  )
}

import type { Screenshot } from '@threadbox/sdk'
import { FileText, RotateCw, TriangleAlert, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useMissingSentence } from '../state/use-missing-sentence.ts'

/** The files of the next message with their progress. */
export function UploadChips(props: {
  threadId: string
  uploads: readonly Upload[]
  onRemove: (uploadId: string) => void
  onRetry: (uploadId: string) => void
}) {
  const { t } = useTranslation('composer')
  if (props.uploads.length === 0) return null
  return (
    <ul className="atts" aria-label={t('files')}>
      {props.uploads.map((upload) => (
        <li key={upload.id} className={upload.screenshot === null ? 'att' : 'shot'} data-status={upload.status}>
          {upload.screenshot === null ? (
            <UploadFace upload={upload} />
          ) : (
            <ScreenshotFace threadId={props.threadId} upload={upload} screenshot={upload.screenshot} />
          )}
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
            className={upload.screenshot === null ? undefined : 'x'}
            label={upload.screenshot === null ? t('removeFile', { name: upload.name }) : t('removeScreenshot')}
            onClick={() => props.onRemove(upload.id)}
          >
            <X className="i" size={upload.screenshot === null ? 14 : 12} />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

/** A screenshot of a preview: what it shows, of which service, how large and when. */
function ScreenshotFace(props: { threadId: string; upload: Upload; screenshot: Screenshot }) {
  const { t } = useTranslation('composer')
  const client = useClient()
  const format = useFormat()
  const { upload, screenshot } = props
  const { width, height } = screenshot.region
  const service = screenshot.service ?? t('screenshotOfPort', { port: new URL(screenshot.url).port || '80' })
  const title = t('screenshotOf', { service })
  const { attachment } = upload
  const missing = useMissingSentence(screenshot)
  const arrived = attachment === null ? '' : client.threads.attachmentUrl(props.threadId, attachment.id)
  return (
    <>
      <img className="im" src={upload.thumbnail ?? arrived} alt={title} />
      <div>
        <b className="trunc">{title}</b>
        <span className="num" role={upload.status === 'done' ? undefined : 'status'}>
          {upload.status === 'failed'
            ? t('uploadFailed')
            : `${t('screenshotSize', { width, height })} · ${format.moment(upload.addedAt, upload.addedAt)}`}
        </span>
        {missing !== null && <span className="shot-missing">{missing}</span>}
      </div>
    </>
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

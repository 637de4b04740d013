import type { Attachment, Screenshot } from '@threadbox/sdk'
import { FileText } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useMissingSentence } from '../../composer/state/use-missing-sentence.ts'

/** The files of a message. */
export function AttachmentList(props: { threadId: string; attachments: readonly Attachment[] }) {
  const { t } = useTranslation('threads')
  const client = useClient()
  const format = useFormat()
  if (props.attachments.length === 0) return null
  return (
    <ul className="atts" aria-label={t('attachments')}>
      {props.attachments.map((attachment) => (
        <li key={attachment.id}>
          {attachment.screenshot === undefined ? (
            <a
              className="att att--ro"
              href={client.threads.attachmentUrl(props.threadId, attachment.id)}
              download={attachment.name}
              title={attachment.path}
            >
              <FileText className="i" size={14} />
              <span className="trunc">{attachment.name}</span>
              <span className="faint num">{format.bytes(attachment.sizeBytes)}</span>
            </a>
          ) : (
            <ScreenshotThumbnail
              src={client.threads.attachmentUrl(props.threadId, attachment.id)}
              screenshot={attachment.screenshot}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

/** A small screenshot of a preview. A click enlarges it and shows where it was taken. */
function ScreenshotThumbnail(props: { src: string; screenshot: Screenshot }) {
  const { t } = useTranslation('threads')
  const [isOpen, setIsOpen] = useState(false)
  const { src, screenshot } = props
  const { url, service, region } = screenshot
  const { host, pathname, search } = new URL(url)
  const title = t('screenshotOf', { name: service ?? host })
  const { width, height } = region
  const missing = useMissingSentence(screenshot)
  const about = t('screenshotAbout', { path: pathname + search, width, height })
  return (
    <>
      <button
        type="button"
        className="shot-thumb"
        aria-label={t('openScreenshot', { title })}
        onClick={() => setIsOpen(true)}
      >
        <img src={src} alt="" width={width} height={height} loading="lazy" />
      </button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        title={title}
        description={missing === null ? about : `${about}. ${missing}`}
        closeLabel={t('closeScreenshot')}
        className="dialog--shot"
      >
        <img src={src} alt={title} width={width} height={height} />
      </Dialog>
    </>
  )
}

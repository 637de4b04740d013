import type { Attachment } from '@threadbox/sdk'
import { FileText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../app/client.ts'
import { useFormat } from '../../../app/use-format.ts'

/** The files that came with a message. */
export function AttachmentList(props: { threadId: string; attachments: readonly Attachment[] }) {
  const { t } = useTranslation('threads')
  const client = useClient()
  const format = useFormat()
  if (props.attachments.length === 0) return null
  return (
    <ul className="atts" aria-label={t('attachments')}>
      {props.attachments.map((attachment) => (
        <li key={attachment.id}>
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
        </li>
      ))}
    </ul>
  )
}

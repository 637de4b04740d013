import { useTranslation } from 'react-i18next'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import type { OutgoingMessage } from '../../../page/thread/state/thread-store.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { AttachmentList } from './attachment-list.tsx'
import { Bubble } from './user-message.tsx'

/** A message being sent. If that fails, its text stays here with a button to retry. */
export function OutgoingRow(props: { message: OutgoingMessage }) {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  const { message } = props
  return (
    <div className="r me me--outgoing">
      <AttachmentList threadId={actions.threadId} attachments={message.attachments} />
      {message.text !== '' && <Bubble text={message.text} />}
      {message.status === 'sending' ? (
        <span className="sr" role="status">
          {t('sending')}
        </span>
      ) : (
        <p className="me-failed" role="alert">
          <Glyph state="error" />
          {t('notSent')}
          <button type="button" className="link" onClick={() => actions.resendOutgoing(message.key)}>
            {t('sendAgain')}
          </button>
          <button type="button" className="link" onClick={() => actions.dropOutgoing(message.key)}>
            {t('editInComposer')}
          </button>
        </p>
      )}
    </div>
  )
}

import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isImeEvent } from '../../../page/client/keyboard.ts'
import { Button } from '../../../ui/button.tsx'
import { useAutosize } from '../state/use-autosize.ts'

/** Edits a message in its row. Enter sends, Esc discards the changes. */
export function MessageEditor(props: {
  text: string
  onCancel: () => void
  onSend: (text: string) => Promise<void>
  /** A queued message is saved; a delivered one is sent again. */
  isQueued?: boolean
}) {
  const { t } = useTranslation(['threads', 'common'])
  const [text, setText] = useState(props.text)
  const [isSending, setIsSending] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  useAutosize(area, text)
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])
  const send = async () => {
    if (text.trim() === '' || isSending) return
    setIsSending(true)
    await props.onSend(text).finally(() => setIsSending(false))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isImeEvent(event.nativeEvent)) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void send()
    }
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      props.onCancel()
    }
  }
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        ref={area}
        value={text}
        aria-label={t('editMessage')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {props.isQueued !== true && <p className="help">{t('editKeepsFiles')}</p>}
      <div className="row-flex">
        <Button size="sm" onClick={props.onCancel}>
          {t('common:cancel')}
        </Button>
        <Button size="sm" variant="primary" type="submit" isLoading={isSending} isDisabled={text.trim() === ''}>
          {props.isQueued === true ? t('save') : t('sendAgain')}
        </Button>
      </div>
    </form>
  )
}

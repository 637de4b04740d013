import type { Thread } from '@threadbox/sdk'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isImeEvent } from '../../../page/client/keyboard.ts'
import { useRenameThread } from '../../../page/thread/api/thread-mutations.ts'

/** The title; a click or F2 makes it editable. */
export function ThreadTitle(props: { thread: Thread }) {
  const { t } = useTranslation('threads')
  const rename = useRenameThread()
  const [draft, setDraft] = useState<string | null>(null)
  const { thread } = props
  const shown = thread.title === '' ? t('untitled') : thread.title

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // In the sidebar F2 applies to the focused thread.
      if (event.key !== 'F2' || event.defaultPrevented) return
      event.preventDefault()
      setDraft(thread.title)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [thread.title])

  if (draft === null) {
    return (
      <h1 className="title-h">
        <button type="button" className="title" title={t('rename')} onClick={() => setDraft(thread.title)}>
          <span className="trunc">{shown}</span>
        </button>
      </h1>
    )
  }
  return (
    <TitleInput
      value={draft}
      onChange={setDraft}
      onEnd={(isKept) => {
        if (isKept && draft.trim() !== '' && draft.trim() !== thread.title) rename(thread, draft.trim())
        setDraft(null)
      }}
    />
  )
}

/** A title being edited: Enter and leaving the field save it, Esc discards it. */
export function TitleInput(props: {
  value: string
  onChange: (value: string) => void
  onEnd: (isKept: boolean) => void
}) {
  const { t } = useTranslation('threads')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  return (
    <input
      ref={input}
      className="title-input"
      value={props.value}
      maxLength={200}
      aria-label={t('rename')}
      onChange={(event) => props.onChange(event.target.value)}
      onBlur={() => props.onEnd(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (isImeEvent(event.nativeEvent)) return
        if (event.key === 'Enter') props.onEnd(true)
        if (event.key === 'Escape') props.onEnd(false)
      }}
    />
  )
}

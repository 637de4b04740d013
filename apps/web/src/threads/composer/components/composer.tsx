import { ArrowUp, Paperclip, Square, SquareSlash } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isImeEvent } from '../../../page/client/keyboard.ts'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'
import { FoundSecretsDialog } from '../../../people/secrets/components/found-secrets-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { isCommandText, matchingCommands, type SlashCommandName, textOfCommand } from '../state/slash-commands.logic.ts'
import { useUnseenImages } from '../state/unseen-images.ts'
import { useAutosize } from '../state/use-autosize.ts'
import { useSendAfterUploads } from '../state/use-patient-send.ts'
import { useSecretGuard } from '../state/use-secret-guard.ts'
import { ModelPicker } from './model-picker.tsx'
import { SlashMenu } from './slash-menu.tsx'
import { UploadChips } from './upload-chips.tsx'

export type ComposerHandle = { focus: () => void }

/** The composer: text, files, model, send, stop. It never loses a text that wasn’t accepted. */
export function Composer(props: {
  ref?: Ref<ComposerHandle>
  threadId: string
  text: string
  onText: (text: string) => void
  uploads: readonly Upload[]
  onFiles: (files: readonly File[]) => void
  onRemoveUpload: (uploadId: string) => void
  onRetryUpload: (uploadId: string) => void
  modelId: string | null
  onModel: (modelId: string | null) => void
  isTurnRunning: boolean
  /** What sending currently does besides sending. */
  note?: string | undefined
  onSend: () => void
  onStop: () => void
  /** ↑ was pressed in the empty field. */
  onEditLast: () => void
}) {
  const { t } = useTranslation('composer')
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const { text, uploads } = props
  useAutosize(area, text)
  useImperativeHandle(props.ref, () => ({ focus: () => area.current?.focus() }), [])
  const menu = useSlashMenu({ text, onText: props.onText, focus: () => area.current?.focus() })
  const hasScreenshot = uploads.some((upload) => upload.screenshot !== null)
  const unseen = useUnseenImages(props.modelId, uploads)
  const guard = useSecretGuard(props)
  const { threadId } = props
  const sending = useSendAfterUploads({ threadId, uploads, hasText: text.trim() !== '', onSend: guard.send })

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isImeEvent(event.nativeEvent) || menu.onKeyDown(event)) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      sending.send()
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault()
      props.onEditLast()
    } else if (event.key === 'Backspace' && text === '') {
      const last = uploads.at(-1)
      if (last !== undefined) props.onRemoveUpload(last.id)
    }
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    props.onFiles(files)
  }
  return (
    <>
      <form
        className="composer"
        data-region="composer"
        aria-label={t('label')}
        onSubmit={(event) => {
          event.preventDefault()
          sending.send()
        }}
      >
        <UploadChips
          threadId={props.threadId}
          uploads={uploads}
          onRemove={props.onRemoveUpload}
          onRetry={props.onRetryUpload}
        />
        {menu.names !== null && (
          <SlashMenu id={menu.id} names={menu.names} active={menu.active} onChoose={menu.choose} />
        )}
        <textarea
          ref={area}
          id="message"
          className={classNames('ta', isCommandText(text) && 'ta--command')}
          rows={1}
          value={text}
          placeholder={hasScreenshot ? t('placeholderRegion') : t('placeholder')}
          aria-label={t('label')}
          aria-controls={menu.names === null ? undefined : menu.id}
          aria-activedescendant={menu.activeId}
          aria-autocomplete="list"
          onChange={(event) => {
            sending.cancel()
            props.onText(event.target.value)
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div className="bar">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              props.onFiles([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <IconButton label={t('attach')} onClick={() => picker.current?.click()}>
            <Paperclip className="i" size={16} />
          </IconButton>
          <IconButton className="not-m" label={t('commands')} shortcut="/" onClick={() => menu.open()}>
            <SquareSlash className="i" size={16} />
          </IconButton>
          <ModelPicker modelId={props.modelId} onChoose={props.onModel} />
          <Hint
            isTurnRunning={props.isTurnRunning}
            hasText={text.trim() !== ''}
            note={sending.isWaiting ? t('sendsWhenThere') : (unseen ?? props.note)}
          />
          <SendButtons
            isTurnRunning={props.isTurnRunning}
            hasText={text.trim() !== ''}
            canSend={sending.canSend}
            onStop={props.onStop}
          />
        </div>
      </form>
      {/* Outside of the form: React passes a dialog’s submit on to it. */}
      {guard.found !== null && <FoundSecretsDialog {...guard} threadId={threadId} found={guard.found} />}
    </>
  )
}

function SendButtons(props: { isTurnRunning: boolean; hasText: boolean; canSend: boolean; onStop: () => void }) {
  const { t } = useTranslation('composer')
  return (
    <>
      {props.isTurnRunning && props.hasText && (
        <Button size="md" type="submit" isDisabled={!props.canSend}>
          {t('queueSend')}
        </Button>
      )}
      {props.isTurnRunning ? (
        <button
          type="button"
          className="send send--stop"
          aria-label={t('stop')}
          title={t('stop')}
          onClick={props.onStop}
        >
          <Square className="i" size={14} fill="currentColor" />
        </button>
      ) : (
        <button type="submit" className="send" aria-label={t('send')} title={t('send')} disabled={!props.canSend}>
          <ArrowUp className="i" size={18} />
        </button>
      )}
    </>
  )
}

function Hint(props: { isTurnRunning: boolean; hasText: boolean; note: string | undefined }) {
  const { t } = useTranslation('composer')
  if (props.note !== undefined) return <span className="hint hint--note">{props.note}</span>
  if (props.isTurnRunning && !props.hasText) {
    return (
      <span className="hint" aria-hidden="true">
        <Kbd>{'Esc'}</Kbd>
        <span>{t('hintStop')}</span>
      </span>
    )
  }
  return (
    <span className="hint" aria-hidden="true">
      <Kbd>{'↵'}</Kbd>
      <span>{props.isTurnRunning ? t('hintQueue') : t('hintSend')}</span>
      <span className="long">
        <Kbd>{'⇧'}</Kbd>
        <Kbd>{'↵'}</Kbd>
        <span>{t('hintNewLine')}</span>
      </span>
    </span>
  )
}

/** The commands that match the typed text, and the keys that select one. */
function useSlashMenu(options: { text: string; onText: (text: string) => void; focus: () => void }) {
  const id = useId()
  const [active, setActive] = useState(0)
  const [dismissed, setDismissed] = useState<string | null>(null)
  const found = matchingCommands(options.text)
  const names = dismissed === options.text ? null : found
  const index = names === null ? 0 : Math.min(active, names.length - 1)
  const choose = (name: SlashCommandName) => {
    const text = textOfCommand(name)
    options.onText(text)
    setActive(0)
    setDismissed(text)
    options.focus()
  }
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const name = names?.[index]
    if (names === null || name === undefined) return false
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : names.length - 1
      setActive((index + step) % names.length)
    } else if (event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey && options.text !== `/${name}`)) {
      choose(name)
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      setDismissed(options.text)
    } else {
      return false
    }
    event.preventDefault()
    return true
  }
  return {
    id,
    names,
    active: index,
    activeId: names === null ? undefined : `${id}-${names[index]}`,
    choose,
    onKeyDown,
    open: () => {
      setDismissed(null)
      if (options.text === '') options.onText('/')
      options.focus()
    },
  }
}

import type { UserMessageEntry } from '@threadbox/sdk'
import { Bookmark, BookmarkX, Copy, GitFork, History, Pencil } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../../page/client/copy-text.ts'
import { isTouch } from '../../../page/client/keyboard.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { useMe } from '../../../people/auth/api/session.queries.ts'
import { usePersonName } from '../../../people/team/api/people.queries.ts'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MessageEditor } from '../../composer/components/message-editor.tsx'
import { splitCommand } from '../../composer/state/slash-commands.logic.ts'
import { usePins } from '../state/pins-context.ts'
import { AttachmentList } from './attachment-list.tsx'

/** A message of the user. Long messages are folded; actions appear beside it on hover and focus. */
export function UserMessage(props: { entry: UserMessageEntry }) {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  const { pinnedTurnIds } = usePins()
  const { entry } = props
  const [isTapped, setIsTapped] = useState(false)
  if (actions.editingId === entry.id) {
    return (
      <div className="r me" data-entry={entry.id}>
        <AttachmentList threadId={actions.threadId} attachments={entry.attachments} />
        <MessageEditor
          text={entry.text}
          onCancel={() => actions.startEditing(null)}
          onSend={(text) => actions.edit(entry.id, text)}
        />
      </div>
    )
  }
  return (
    <div className={classNames('r me', isTapped && 'is-hover')} data-entry={entry.id}>
      <Author entry={entry} />
      <AttachmentList threadId={actions.threadId} attachments={entry.attachments} />
      {entry.text !== '' && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a touch screen has no hover; with keys the tools are reached by Tab
        // biome-ignore lint/a11y/useKeyWithClickEvents: the same
        <div className="ln" onClick={() => isTouch() && setIsTapped(!isTapped)}>
          <div className="tools">
            <IconButton size="sm" label={t('copyMessage')} onClick={() => void copyText(entry.text)}>
              <Copy className="i" size={14} />
            </IconButton>
            {actions.allowed.includes('work') && (
              <IconButton
                size="sm"
                label={t('editMessage')}
                disabledReason={actions.isTurnRunning ? t('editNeedsPause') : undefined}
                onClick={() => actions.startEditing(entry.id)}
              >
                <Pencil className="i" size={14} />
              </IconButton>
            )}
            {actions.allowed.includes('change') && (
              <IconButton
                size="sm"
                label={t('rewindToBefore')}
                disabledReason={actions.isTurnRunning ? t('editNeedsPause') : undefined}
                onClick={() => actions.askRewind(entry.id)}
              >
                <History className="i" size={14} />
              </IconButton>
            )}
            <IconButton size="sm" label={t('forkFromHere')} onClick={() => actions.forkBefore(entry.turnId)}>
              <GitFork className="i" size={14} />
            </IconButton>
            {actions.allowed.includes('work') && <KeepButton turnId={entry.turnId} />}
          </div>
          <Bubble text={entry.text} />
        </div>
      )}
      {pinnedTurnIds.has(entry.turnId) && (
        <p className="kept-moment quiet">
          <Bookmark className="i" size={12} aria-hidden="true" /> {t('momentKept')}
        </p>
      )}
    </div>
  )
}

/** Who wrote the message, if it is another person. */
function Author({ entry }: { entry: UserMessageEntry }) {
  const { t } = useTranslation('people')
  const { creatorId } = useThreadActions()
  const me = useMe().data
  const authorId = entry.authorId ?? creatorId
  const name = usePersonName(authorId)
  if (me === undefined || authorId === undefined || authorId === me.id) return null
  return <p className="author quiet">{name ?? t('thread.someone')}</p>
}

/** Keeps what the sandbox was at the end of this turn, whatever the limits of snapshots are. */
function KeepButton(props: { turnId: string }) {
  const { t } = useTranslation('threads')
  const { pinnedTurnIds, runningTurnId, setPin } = usePins()
  const isKept = pinnedTurnIds.has(props.turnId)
  const Icon = isKept ? BookmarkX : Bookmark
  return (
    <IconButton
      size="sm"
      label={t(isKept ? 'dropMoment' : 'keepMoment')}
      disabledReason={runningTurnId === props.turnId ? t('keepNeedsEnd') : undefined}
      onClick={() => void setPin(props.turnId, !isKept)}
    >
      <Icon className="i" size={14} />
    </IconButton>
  )
}

/** A command in direct mode is shown as a command, everything else as text. */
export function Bubble(props: { text: string }) {
  const command = splitCommand(props.text)
  if (command === null) return <div className="bubble">{props.text}</div>
  return (
    <div className="bubble bubble--command mono">
      <b>{command.command}</b>
      {command.rest}
    </div>
  )
}

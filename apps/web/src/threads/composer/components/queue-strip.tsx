import type { UserMessageEntry } from '@threadbox/sdk'
import { ArrowDown, ArrowUp, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MessageEditor } from './message-editor.tsx'

export type QueueActions = {
  save: (entryId: string, text: string) => Promise<void>
  remove: (entryId: string) => void
  reorder: (entryIds: string[]) => void
  resume: () => void
}

/** The queued messages, in the order of delivery. */
export function QueueStrip(props: {
  messages: readonly UserMessageEntry[]
  actions: QueueActions
  editingId: string | null
  onEdit: (entryId: string | null) => void
}) {
  const { t } = useTranslation('composer')
  const { messages, actions } = props
  if (messages.length === 0) return null
  const isHeld = messages.some((message) => message.status === 'held')
  const move = (index: number, by: -1 | 1) => {
    const ids = messages.map((message) => message.id)
    const moved = ids.splice(index, 1)
    ids.splice(index + by, 0, ...moved)
    actions.reorder(ids)
  }
  return (
    <section className="queue-box" aria-label={t('queue')}>
      <div className="queue-h">
        <span>{isHeld ? t('queueHeld', { count: messages.length }) : t('queueWaits', { count: messages.length })}</span>
        {isHeld && (
          <Button size="sm" onClick={actions.resume}>
            {t('queueResume')}
          </Button>
        )}
      </div>
      <ol>
        {messages.map((message, index) => (
          <li key={message.id} className="queue-row">
            {props.editingId === message.id ? (
              <MessageEditor
                text={message.text}
                isQueued
                onCancel={() => props.onEdit(null)}
                onSend={(text) => actions.save(message.id, text)}
              />
            ) : (
              <QueuedMessage
                message={message}
                isFirst={index === 0}
                isLast={index === messages.length - 1}
                onEdit={() => props.onEdit(message.id)}
                onMove={(by) => move(index, by)}
                onRemove={() => actions.remove(message.id)}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function QueuedMessage(props: {
  message: UserMessageEntry
  isFirst: boolean
  isLast: boolean
  onEdit: () => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}) {
  const { t } = useTranslation('composer')
  const [isRemoving, setIsRemoving] = useState(false)
  const format = useFormat()
  const names = props.message.attachments.map(({ name }) => name)
  const text = props.message.text.trim() === '' ? format.items(names) : props.message.text
  return (
    <>
      <span className="grow trunc" title={text}>
        {text}
      </span>
      {!props.isFirst && (
        <IconButton size="sm" label={t('queueUp')} onClick={() => props.onMove(-1)}>
          <ArrowUp className="i" size={14} />
        </IconButton>
      )}
      {!props.isLast && (
        <IconButton size="sm" label={t('queueDown')} onClick={() => props.onMove(1)}>
          <ArrowDown className="i" size={14} />
        </IconButton>
      )}
      <IconButton size="sm" label={t('queueEdit')} onClick={props.onEdit}>
        <Pencil className="i" size={14} />
      </IconButton>
      <IconButton
        size="sm"
        label={t('queueRemove')}
        isLoading={isRemoving}
        onClick={() => {
          setIsRemoving(true)
          props.onRemove()
        }}
      >
        <X className="i" size={14} />
      </IconButton>
    </>
  )
}

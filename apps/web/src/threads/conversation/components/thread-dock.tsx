import type { Thread, UserMessageEntry } from '@threadbox/sdk'
import type { Ref } from 'react'
import { useChooseModel } from '../../../page/thread/api/thread-mutations.ts'
import { useUploads, useUploadsStore } from '../../../page/thread/state/uploads-context.ts'
import { useModelOf } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useComposerNote } from '../../../sandboxes/sandbox/state/composer-note.ts'
import { useWakeOnTyping } from '../../../sandboxes/sandbox/state/use-wake-ahead.ts'
import { SaveOffer } from '../../agents/components/save-offer.tsx'
import { Composer, type ComposerHandle } from '../../composer/components/composer.tsx'
import { QueueStrip } from '../../composer/components/queue-strip.tsx'
import { SurviveStrip } from '../../first-minute/components/survive-strip.tsx'
import type { useThreadCommands } from '../state/use-thread-actions.ts'
import { PresenceLine } from './presence-line.tsx'
import { RewindDialog } from './rewind-dialog.tsx'
import { PersonalNote, ReadOnlyNote } from './sharing-notes.tsx'

/** Below the conversation: the queued messages and the composer. Typing wakes a paused sandbox early. */
export function ThreadDock(props: {
  ref?: Ref<ComposerHandle>
  thread: Thread | undefined
  threadId: string
  text: string
  onText: (text: string) => void
  queue: UserMessageEntry[]
  commands: ReturnType<typeof useThreadCommands>
  isTurnRunning: boolean
  onSend: () => void
  onEditLast: () => void
}) {
  const { thread, threadId, commands } = props
  const uploads = useUploads(threadId)
  const uploadsStore = useUploadsStore()
  const chooseModel = useChooseModel()
  const wakeOnTyping = useWakeOnTyping(thread)
  const note = useComposerNote(thread?.sandbox)
  const modelId = useModelOf(thread)
  const canWork = thread === undefined || thread.allowed.includes('work')
  return (
    <div className="dock">
      {commands.rewind.asked !== null && (
        <RewindDialog
          entryId={commands.rewind.asked.entryId}
          choices={commands.rewind.asked.isChosen ? commands.rewind.messages : undefined}
        />
      )}
      {canWork && <SurviveStrip threadId={threadId} />}
      {canWork && thread !== undefined && <SaveOffer thread={thread} />}
      {thread !== undefined && <PersonalNote thread={thread} />}
      <PresenceLine thread={thread} text={props.text} />
      <QueueStrip
        messages={props.queue}
        actions={commands.queue}
        editingId={commands.actions.editingId}
        onEdit={commands.actions.startEditing}
      />
      {!canWork && <ReadOnlyNote threadId={threadId} canFork={thread?.allowed.includes('read') ?? false} />}
      {canWork && (
        <Composer
          {...(props.ref === undefined ? {} : { ref: props.ref })}
          threadId={threadId}
          text={props.text}
          onText={(next) => {
            props.onText(next)
            wakeOnTyping(next)
          }}
          uploads={uploads}
          onFiles={(files) => uploadsStore.add(threadId, files)}
          onRemoveUpload={(uploadId) => uploadsStore.remove(threadId, uploadId)}
          onRetryUpload={(uploadId) => uploadsStore.retry(threadId, uploadId)}
          modelId={modelId}
          onModel={(chosenId) => thread !== undefined && chooseModel(thread, chosenId)}
          isTurnRunning={props.isTurnRunning}
          note={note}
          onSend={props.onSend}
          onStop={commands.stop}
          onEditLast={props.onEditLast}
        />
      )}
    </div>
  )
}

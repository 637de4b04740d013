import { useQueryClient } from '@tanstack/react-query'
import type {
  Attachment,
  CallDecision,
  Screenshot,
  Thread,
  ThreadboxClient,
  ThreadState,
  WorkspaceAction,
} from '@threadbox/sdk'
import { useMemo, useState } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { newMessageKey } from '../../../page/thread/state/message-key.ts'
import type { ThreadActions } from '../../../page/thread/state/thread-context.ts'
import type { OutgoingMessage, ThreadStore } from '../../../page/thread/state/thread-store.ts'
import { useUploadsStore } from '../../../page/thread/state/uploads-context.ts'
import type { QueueActions } from '../../composer/components/queue-strip.tsx'
import { useForkThread } from '../api/use-fork-thread.ts'
import { useRewindChoice } from './use-rewind-choice.ts'

const everything: readonly WorkspaceAction[] = ['read', 'work', 'change', 'manage']

/** All actions on one conversation. Failures are shown; a typed text is never lost. */
export function useThreadCommands(options: {
  threadId: string
  thread: Thread | undefined
  store: ThreadStore
  outgoing: readonly OutgoingMessage[]
  isTurnRunning: boolean
  state: ThreadState | null
  insert: (text: string) => void
}) {
  const { threadId, store, outgoing, isTurnRunning, insert } = options
  const client = useClient()
  const queries = useQueryClient()
  const uploads = useUploadsStore()
  const showError = useStable(useErrorToast())
  const fork = useStable(useForkThread(threadId))
  const [editingId, startEditing] = useState<string | null>(null)
  const rewind = useRewindChoice(options.state)
  const { allowed = everything, creatorId } = options.thread ?? {}

  const commands = useMemo(() => {
    const attempt = (work: Promise<unknown>) => work.then(() => undefined).catch(showError)
    const deliver = async (message: OutgoingMessage) => {
      const { key, text, attachments } = message
      const replaceBy = (next: readonly OutgoingMessage[]) =>
        store.setOutgoing((messages) => [...messages.filter((other) => other.key !== key), ...next])
      replaceBy([{ ...message, status: 'sending' }])
      try {
        const attachmentIds = attachments.map(({ id }) => id)
        await client.threads.sendMessage(threadId, { text, key, attachmentIds, ...screenshotsOf(attachments) })
        replaceBy([])
      } catch (error) {
        replaceBy([{ ...message, status: 'failed' }])
        showError(error)
      }
    }
    const send = (text: string, attachments: readonly Attachment[] = []) =>
      deliver({ key: newMessageKey(), text, attachments, status: 'sending' })
    const stop = () => void attempt(client.threads.stop(threadId))
    const actions: ThreadActions = {
      threadId,
      isTurnRunning,
      allowed,
      creatorId,
      editingId,
      startEditing,
      edit: async (entryId, text) => {
        await client.threads.editMessage(threadId, entryId, { text }).then(() => startEditing(null), showError)
      },
      forkBefore: (beforeTurnId) => fork({ beforeTurnId }),
      ...rewind.actions,
      ...(allowed.includes('change') ? {} : { chooseRewind: null }),
      undoRewind: (rewindId) => attempt(client.threads.undoRewind(threadId, rewindId)),
      retry: (mode, modelId) =>
        attempt(client.threads.retry(threadId, { mode, ...(modelId === undefined ? {} : { modelId }) })),
      insert,
      send: (text) => send(text),
      resendOutgoing: (key) => {
        const message = outgoing.find((candidate) => candidate.key === key)
        if (message !== undefined) void deliver(message)
      },
      dropOutgoing: (key) => {
        const message = outgoing.find((candidate) => candidate.key === key)
        store.setOutgoing((messages) => messages.filter((other) => other.key !== key))
        if (message === undefined) return
        insert(message.text)
        uploads.restore(threadId, message.attachments)
      },
    }
    const queue = queueActions({ client, threadId, attempt, showError, onSaved: () => startEditing(null) })
    const runAgain = (callId: string) => void attempt(client.threads.runAgain(threadId, callId))
    const decide = async (callId: string, decision: CallDecision) => {
      const isDone = await client.threads.decideCall(threadId, callId, decision).then(
        () => true,
        (error: unknown) => {
          showError(error)
          return false
        },
      )
      // “Always” changes the tool’s permission, which the settings show.
      if (decision === 'always') void queries.invalidateQueries({ queryKey: queryKeys.connections })
      return isDone
    }
    return { actions, queue, send, stop, runAgain, decide }
  }, [
    client,
    queries,
    uploads,
    threadId,
    store,
    outgoing,
    isTurnRunning,
    allowed,
    creatorId,
    insert,
    editingId,
    rewind.actions,
    showError,
    fork,
  ])
  return { ...commands, rewind }
}

function queueActions(parts: {
  client: ThreadboxClient
  threadId: string
  attempt: (work: Promise<unknown>) => Promise<void>
  showError: (error: unknown) => void
  onSaved: () => void
}): QueueActions {
  const { client, threadId, attempt, showError } = parts
  return {
    save: async (entryId, text) => {
      await client.threads.updateMessage(threadId, entryId, { text }).then(parts.onSaved, showError)
    },
    remove: (entryId) => void attempt(client.threads.removeMessage(threadId, entryId)),
    reorder: (entryIds) => void attempt(client.threads.reorderQueue(threadId, { entryIds })),
    resume: () => void attempt(client.threads.resumeQueue(threadId)),
  }
}

/** The details of a message’s screenshots, by attachment ID. */
function screenshotsOf(attachments: readonly Attachment[]): { screenshots?: Record<string, Screenshot> } {
  const known = attachments.flatMap(({ id, screenshot }) =>
    screenshot === undefined ? [] : [[id, screenshot] as const],
  )
  return known.length === 0 ? {} : { screenshots: Object.fromEntries(known) }
}

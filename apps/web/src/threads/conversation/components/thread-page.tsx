import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { isThreadboxError } from '@threadbox/sdk'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { isTouch } from '../../../page/client/keyboard.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { type CardContextValue, CardProvider } from '../../../page/content/state/card-context.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { useMarkRead } from '../../../page/thread/api/thread-mutations.ts'
import { threadQuery } from '../../../page/thread/api/thread-queries.ts'
import { useDraft } from '../../../page/thread/state/draft.ts'
import { ThreadActionsProvider } from '../../../page/thread/state/thread-context.ts'
import { useUploads, useUploadsStore } from '../../../page/thread/state/uploads-context.ts'
import { useThread } from '../../../page/thread/state/use-thread.ts'
import { useTurnChanges } from '../../../page/thread/state/use-turn-changes.ts'
import { MissingThreadPage } from '../../../people/team/components/open-thread-page.tsx'
import { useModelOf } from '../../../people/workspaces/api/workspaces.queries.ts'
import { showFile } from '../../../sandboxes/files/state/files-store.ts'
import { useOfferPageThread } from '../../../sandboxes/panes/state/page-thread.ts'
import { usePaneKeys } from '../../../sandboxes/panes/state/use-pane-keys.ts'
import { usePreviewOfStarted } from '../../../sandboxes/preview/state/preview-store.ts'
import { WakeAnnouncer } from '../../../sandboxes/sandbox/components/wake-announcer.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import type { ComposerHandle } from '../../composer/components/composer.tsx'
import { EmptyThread } from '../../empty/components/empty-thread.tsx'
import { usePinsOf } from '../api/pins.queries.ts'
import { PinsProvider } from '../state/pins-context.ts'
import { knownPathsOf, lastMessageOf, queueOf, rowsOf, runningTurnOf } from '../state/rows.logic.ts'
import { useThreadCommands } from '../state/use-thread-actions.ts'
import { useThreadKeys } from '../state/use-thread-keys.ts'
import { Announcer } from './announcer.tsx'
import { DropZone } from './drop-zone.tsx'
import { MessageList, type MessageListHandle } from './message-list.tsx'
import { ThreadDock } from './thread-dock.tsx'
import { ThreadFrame } from './thread-frame.tsx'

export function ThreadPage() {
  const { threadId } = useParams({ from: '/app/threads/$threadId' })
  const { entry } = useSearch({ from: '/app/threads/$threadId' })
  return <ThreadView key={threadId} threadId={threadId} focusEntryId={entry} />
}

/** Opens a thread again that this person could not see for a while, such as one that was private. */
function useReopened(props: { updatedAt: number; error: unknown; reload: () => void }): void {
  const { updatedAt, error, reload } = props
  const reopen = useStable(() => {
    if (isThreadboxError(error) && error.kind === 'not-found') reload()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that the thread arrives
  useEffect(reopen, [updatedAt, reopen])
}

/** One thread: its conversation, the state of its sandbox, and the composer. */
export function ThreadView(props: { threadId: string; focusEntryId?: string | undefined }) {
  const { threadId } = props
  const { t } = useTranslation('threads')
  const client = useClient()
  const thread = useQuery(threadQuery(client, threadId))
  const modelId = useModelOf(thread.data)
  const { state, error, isLoadingOlder, outgoing, store } = useThread(threadId)
  usePreviewOfStarted(threadId)
  const list = useRef<MessageListHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  const [text, setText] = useDraft(threadId)
  const uploads = useUploads(threadId)
  const uploadsStore = useUploadsStore()
  const insert = useCallback(
    (next: string) => {
      setText(next)
      composer.current?.focus()
    },
    [setText],
  )
  const append = useStable((added: string) => {
    if (added === '') composer.current?.focus()
    else insert(text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`)
  })
  const rows = useMemo(() => (state === null ? [] : rowsOf(state, outgoing)), [state, outgoing])
  const queue = useMemo(() => (state === null ? [] : queueOf(state)), [state])
  const knownPaths = useMemo(() => (state === null ? new Set<string>() : knownPathsOf(state)), [state])
  const runningTurn = state === null ? undefined : runningTurnOf(state)
  // Events of the conversation arrive in order. A response about the thread may be older than one.
  const isTurnRunning = state === null ? thread.data?.isTurnRunning === true : runningTurn !== undefined
  const pins = usePinsOf({ threadId, thread: thread.data, runningTurnId: runningTurn?.id })
  const commands = useThreadCommands({ threadId, thread: thread.data, store, outgoing, isTurnRunning, state, insert })
  const { actions, stop } = commands
  const cards = useCards({ threadId, knownPaths, commands, insert })
  const loadOlder = useCallback(() => void store.loadOlder(), [store])
  useDocumentTitle(thread.data === undefined || thread.data.title === '' ? t('untitled') : thread.data.title)
  useReadMark(thread.data)
  useThreadKeys({ isTurnRunning, stop })
  usePaneKeys()
  const turnChanges = useTurnChanges(state)
  useOfferPageThread({ threadId, isTurnRunning, turnMode: runningTurn?.mode, turnChanges, append })
  useEffect(() => {
    if (!isTouch()) composer.current?.focus()
  }, [])

  const send = () => {
    const done = uploads.filter((upload) => upload.status === 'done')
    const attachments = done.flatMap((upload) => upload.attachment ?? [])
    void commands.send(text, attachments)
    setText('')
    uploadsStore.clear(
      threadId,
      done.map((upload) => upload.id),
    )
    list.current?.toEnd()
  }
  const editLast = () => {
    const last = state === null ? undefined : lastMessageOf(state)
    if (last !== undefined && (last.status !== 'delivered' || !isTurnRunning)) actions.startEditing(last.id)
  }
  const failure = error ?? thread.error
  useReopened({ updatedAt: thread.dataUpdatedAt, error, reload: store.reload })
  if (isThreadboxError(failure) && failure.kind === 'not-found') return <MissingThreadPage threadId={threadId} />
  return (
    <ThreadActionsProvider value={actions}>
      <CardProvider value={cards}>
        <main className="main" id="content">
          <ThreadFrame thread={thread.data} turnMode={runningTurn?.mode}>
            <DropZone onFiles={(files) => uploadsStore.add(threadId, files)}>
              <section className="chat" aria-label={t('conversation')}>
                <PinsProvider value={pins}>
                  <MessageList
                    ref={list}
                    rows={rows}
                    hasOlder={state !== null && state.before !== null}
                    isLoadingOlder={isLoadingOlder}
                    onOlder={loadOlder}
                    focusEntryId={props.focusEntryId}
                  >
                    {state === null && error === null && <Skeleton rows={4} label={t('loading')} />}
                    {error !== null && <LoadFailed error={error} onRetry={() => store.reload()} />}
                    {state !== null && error === null && rows.length === 0 && (
                      <EmptyThread onInsert={insert} modelId={modelId} />
                    )}
                  </MessageList>
                </PinsProvider>
                <ThreadDock
                  ref={composer}
                  thread={thread.data}
                  threadId={threadId}
                  text={text}
                  onText={setText}
                  queue={queue}
                  commands={commands}
                  isTurnRunning={isTurnRunning}
                  onSend={send}
                  onEditLast={editLast}
                />
              </section>
            </DropZone>
          </ThreadFrame>
          <Announcer state={state} />
          <WakeAnnouncer state={state} />
        </main>
      </CardProvider>
    </ThreadActionsProvider>
  )
}

/** The actions of cards in the conversation. */
function useCards(options: {
  threadId: string
  knownPaths: ReadonlySet<string>
  commands: ReturnType<typeof useThreadCommands>
  insert: (text: string) => void
}): CardContextValue {
  const { threadId, knownPaths, insert } = options
  const { stop, runAgain, decide } = options.commands
  return useMemo(
    () => ({
      threadId,
      knownPaths,
      showFile: (path: string) => showFile(threadId, path),
      stop,
      runAgain,
      decide,
      ask: insert,
    }),
    [threadId, knownPaths, stop, runAgain, decide, insert],
  )
}

/** Marks a thread as read while it is open in a visible tab. */
function useReadMark(thread: Parameters<ReturnType<typeof useMarkRead>>[0] | undefined): void {
  const markRead = useMarkRead()
  const hasUnread = thread?.hasUnread ?? false
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per change of the mark
  useEffect(() => {
    if (thread === undefined || !hasUnread) return
    const mark = () => document.visibilityState === 'visible' && markRead(thread)
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [hasUnread, thread?.id])
}

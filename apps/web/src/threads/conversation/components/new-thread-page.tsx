import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { isTouch } from '../../../page/client/keyboard.ts'
import { PlainHeader } from '../../../page/parts/plain-header.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { putThread } from '../../../page/thread/api/thread-queries.ts'
import { readDraft, useDraft, writeDraft } from '../../../page/thread/state/draft.ts'
import { newMessageKey } from '../../../page/thread/state/message-key.ts'
import { useUploadsStore } from '../../../page/thread/state/uploads-context.ts'
import { takeSecretsToGrant } from '../../../people/secrets/state/secrets-to-grant.ts'
import { useModelOf, useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { Composer, type ComposerHandle } from '../../composer/components/composer.tsx'
import { EmptyThread } from '../../empty/components/empty-thread.tsx'
import { ExampleMessages } from '../../empty/components/example-messages.tsx'
import { awaitTurn } from '../state/awaited-turn.ts'
import { DropZone } from './drop-zone.tsx'
import { Bubble } from './user-message.tsx'

/** A thread that doesn’t exist yet: its first message or first file creates it. */
export function NewThreadPage() {
  const { t } = useTranslation('threads')
  const [text, setText] = useDraft('new')
  const [modelId, setModelId] = useState<string | null>(null)
  const [sent, setSent] = useState<string | null>(null)
  const composer = useRef<ComposerHandle>(null)
  const workspace = useChosenWorkspace()
  const workspaceId = workspace?.id ?? null
  const shownModelId = useModelOf({ modelId, workspaceId })
  const { isBusy, withThread } = useNewThread({ modelId, workspaceId })
  const client = useClient()
  const uploads = useUploadsStore()
  useDocumentTitle(t('newThread'))
  useEffect(() => {
    if (!isTouch()) composer.current?.focus()
  }, [])

  const insert = (next: string) => {
    setText(next)
    composer.current?.focus()
  }
  const send = () => {
    const message = text
    setSent(message)
    setText('')
    withThread(
      async (threadId) => {
        for (const secretId of takeSecretsToGrant()) await client.secrets.grant(threadId, secretId)
        const order = { text: message, key: newMessageKey(), attachmentIds: [] }
        awaitTurn((await client.threads.sendMessage(threadId, order)).turnId)
      },
      () => {
        setSent(null)
        setText(message)
      },
    )
  }
  const attach = (files: readonly File[]) =>
    withThread(
      (threadId) => uploads.add(threadId, files),
      () => undefined,
    )
  return (
    <main className="main" id="content">
      <PlainHeader title={t('newThread')} workspace={workspace?.name} />
      <DropZone onFiles={attach}>
        <section className="chat" aria-label={t('conversation')}>
          <div className="scroll" data-region="chat" tabIndex={-1}>
            {sent === null ? (
              <EmptyThread onInsert={insert} modelId={shownModelId} />
            ) : (
              <div className="stream">
                <div className="r me me--outgoing">
                  <Bubble text={sent} />
                </div>
              </div>
            )}
          </div>
          <div className="dock">
            {text === '' && sent === null && <ExampleMessages onInsert={insert} />}
            <Composer
              ref={composer}
              threadId="new"
              text={text}
              onText={setText}
              uploads={[]}
              onFiles={attach}
              onRemoveUpload={() => undefined}
              onRetryUpload={() => undefined}
              modelId={shownModelId}
              onModel={setModelId}
              isTurnRunning={false}
              onSend={() => !isBusy && send()}
              onStop={() => undefined}
              onEditLast={() => undefined}
            />
          </div>
        </section>
      </DropZone>
    </main>
  )
}

/** The workspace in the address, if it accepts threads. */
function useChosenWorkspace() {
  const { workspace } = useSearch({ from: '/app/threads/new' })
  return useWorkspaces().find(({ id, archivedAt }) => id === workspace && archivedAt === null)
}

/**
 * Creates the thread once, runs the work with it, and opens it. Text typed in the meantime becomes its draft.
 * `onFailure` reports a failure and reverts.
 */
function useNewThread(chosen: { modelId: string | null; workspaceId: string | null }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const showError = useErrorToast()
  const [isBusy, setIsBusy] = useState(false)
  const created = useRef<string | null>(null)
  const run = async (work: (threadId: string) => unknown, onFailure: () => void) => {
    if (isBusy) return
    setIsBusy(true)
    try {
      if (created.current === null) {
        const thread = await client.threads.create({
          ...(chosen.modelId === null ? {} : { modelId: chosen.modelId }),
          ...(chosen.workspaceId === null ? {} : { workspaceId: chosen.workspaceId }),
        })
        putThread(queryClient, thread)
        created.current = thread.id
      }
      const threadId = created.current
      await work(threadId)
      writeDraft(threadId, readDraft('new'))
      writeDraft('new', '')
      await navigate({ to: '/threads/$threadId', params: { threadId }, replace: true })
    } catch (error) {
      onFailure()
      showError(error)
    } finally {
      setIsBusy(false)
    }
  }
  return {
    isBusy,
    withThread: (work: (threadId: string) => unknown, onFailure: () => void) => void run(work, onFailure),
  }
}

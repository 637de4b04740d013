import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { Thread, UpdateThread } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { dismissToast, showToast } from '../../../ui/toast.tsx'
import { useClient } from '../../client/client.ts'
import { queryKeys } from '../../client/query-keys.ts'
import { useErrorToast } from '../../parts/use-error-toast.ts'
import { dropThread, putBackThread, putThread, showThread } from './thread-queries.ts'

/** As long as the server keeps a deleted thread for undo. */
const undoMs = 30_000

/** Renames a thread. Shown immediately, and undone if the server rejects it. */
export function useRenameThread(): (thread: Thread, title: string) => void {
  const change = useChangeThread()
  return (thread, title) => change(thread, { title, titleSource: 'person' }, { title })
}

export function usePinThread(): (thread: Thread) => void {
  const change = useChangeThread()
  return (thread) => change(thread, { isPinned: !thread.isPinned }, { isPinned: !thread.isPinned })
}

export function useChooseModel(): (thread: Thread, modelId: string | null) => void {
  const change = useChangeThread()
  return (thread, modelId) => change(thread, { modelId }, { modelId })
}

/** Moves a thread to a workspace, or out of all with null. `onMoved` is called when the server has done it. */
export function useMoveThread(): (thread: Thread, workspaceId: string | null, onMoved: () => void) => void {
  const change = useChangeThread()
  const queryClient = useQueryClient()
  return (thread, workspaceId, onMoved) => {
    // A list requested earlier would put the thread back for a moment.
    void queryClient.cancelQueries({ queryKey: queryKeys.threads })
    change(thread, { workspaceId }, { workspaceId }, onMoved)
  }
}

/** Shows a thread to everyone in its workspace, or to its creator only. */
export function useSetPrivate(): (thread: Thread, isPrivate: boolean, onChanged: () => void) => void {
  const change = useChangeThread()
  return (thread, isPrivate, onChanged) => change(thread, { isPrivate }, { isPrivate }, onChanged)
}

/** Lets a thread use its creator’s own secrets, Git credentials and connections again. */
export function useAllowPersonal(): (thread: Thread, onChanged: () => void) => void {
  const change = useChangeThread()
  return (thread, onChanged) => change(thread, { isPersonalOff: false }, { allowsPersonal: true }, onChanged)
}

/** Marks a thread as read. */
export function useMarkRead(): (thread: Thread) => void {
  const change = useChangeThread()
  return (thread) => change(thread, { hasUnread: false }, { isRead: true })
}

function useChangeThread() {
  const client = useClient()
  const queryClient = useQueryClient()
  const showError = useErrorToast()
  return (thread: Thread, shown: Partial<Thread>, request: UpdateThread, onChanged: () => void = () => undefined) => {
    showThread(queryClient, { ...thread, ...shown })
    client.threads.update(thread.id, request).then(
      (updated) => {
        putThread(queryClient, updated)
        onChanged()
      },
      (error: unknown) => {
        putBackThread(queryClient, thread)
        showError(error)
      },
    )
  }
}

/** Deletes a thread immediately and offers to undo it for 30 s. */
export function useDeleteThread(): (thread: Thread) => void {
  const client = useClient()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const router = useRouter()
  const showError = useErrorToast()
  const { t } = useTranslation('threads')
  const restore = async (thread: Thread) => {
    try {
      putThread(queryClient, await client.threads.restore(thread.id))
      await navigate({ to: '/threads/$threadId', params: { threadId: thread.id } })
    } catch (error) {
      showError(error)
    }
  }
  return (thread) => {
    dropThread(queryClient, thread.id)
    if (router.state.location.pathname === `/threads/${thread.id}`) void navigate({ to: '/threads/new' })
    const toastId = `deleted-${thread.id}`
    client.threads.delete(thread.id).then(
      () =>
        showToast(t('deleted', { title: thread.title === '' ? t('untitled') : thread.title }), {
          id: toastId,
          durationMs: undoMs,
          action: {
            label: t('undo'),
            onClick: () => {
              dismissToast(toastId)
              void restore(thread)
            },
          },
        }),
      (error: unknown) => {
        putBackThread(queryClient, thread)
        showError(error)
      },
    )
  }
}

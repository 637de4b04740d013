import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ForkThread } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { putThread } from '../../../page/thread/api/thread-queries.ts'
import { dismissToast, showToast } from '../../../ui/toast.tsx'

/** Creates a thread that begins as a copy of this one, and opens it. */
export function useForkThread(threadId: string): (request: ForkThread) => void {
  const client = useClient()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const showError = useErrorToast()
  const { t } = useTranslation('threads')
  const toastId = `fork-${threadId}`
  return (request) => {
    showToast(t('forking'), { id: toastId })
    client.threads.fork(threadId, request).then(
      (fork) => {
        dismissToast(toastId)
        putThread(queryClient, fork)
        void navigate({ to: '/threads/$threadId', params: { threadId: fork.id } })
      },
      (error: unknown) => {
        dismissToast(toastId)
        showError(error)
      },
    )
  }
}

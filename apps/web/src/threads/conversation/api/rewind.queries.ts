import { useMutation, useQuery } from '@tanstack/react-query'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** What a rewind would undo, fetched each time the dialog opens. */
export function useRewindPreview(target: { threadId: string; entryId: string }) {
  const client = useClient()
  const { threadId, entryId } = target
  return useQuery({
    queryKey: queryKeys.rewind(threadId, entryId),
    queryFn: ({ signal }) => client.threads.previewRewind(threadId, entryId, signal),
    gcTime: 0,
    staleTime: 0,
  })
}

export function useRewind(target: { threadId: string; entryId: string }) {
  const client = useClient()
  return useMutation({ mutationFn: () => client.threads.rewind(target.threadId, target.entryId) })
}

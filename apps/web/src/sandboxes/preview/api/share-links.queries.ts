import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateShareLinkRequest } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The links with which anyone can see services of a thread. */
export function useShareLinks(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.shareLinks(threadId),
    queryFn: ({ signal }) => client.previews.shareLinks(threadId, signal),
    // Links expire, and are created in other windows.
    refetchOnMount: 'always',
  })
}

/** Creates a link. Only this response contains its address. */
export function useCreateShareLink(threadId: string, service: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (request: CreateShareLinkRequest) => client.previews.share(threadId, service, request),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.shareLinks(threadId) }),
  })
}

export function useEndShareLink(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (linkId: string) => client.previews.endShareLink(threadId, linkId),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.shareLinks(threadId) }),
  })
}

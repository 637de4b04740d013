import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateThreadLink } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The links with which anyone can read a thread. */
export function useThreadLinks(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.threadLinks(threadId),
    queryFn: ({ signal }) => client.threads.links(threadId, signal),
    // Links expire, are opened, and are created in other windows.
    refetchOnMount: 'always',
    select: (answer) => answer.links,
  })
}

/** Creates a link. Only this response contains its address. */
export function useCreateThreadLink(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (request: CreateThreadLink) => client.threads.createLink(threadId, request),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.threadLinks(threadId) }),
  })
}

export function useEndThreadLink(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (linkId: string) => client.threads.endLink(threadId, linkId),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.threadLinks(threadId) }),
  })
}

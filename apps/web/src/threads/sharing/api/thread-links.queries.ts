import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateThreadLink } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The links by which anybody reads a thread. */
export function useThreadLinks(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.threadLinks(threadId),
    queryFn: ({ signal }) => client.threads.links(threadId, signal),
    // Others end by their time, are opened, and are made in other windows.
    refetchOnMount: 'always',
    select: (answer) => answer.links,
  })
}

/** Makes a link. The answer is the only place that has its address. */
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

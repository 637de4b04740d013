import { useMutation, useQuery } from '@tanstack/react-query'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** What a copy of the thread behind a link would contain. */
export function useSharedThread(secret: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.sharedThread(secret),
    queryFn: ({ signal }) => client.threads.lookAtShared(secret, signal),
    // The thread continues, and others copy it too.
    refetchOnMount: 'always',
    retry: false,
  })
}

export function useCopySharedThread(secret: string) {
  const client = useClient()
  return useMutation({ mutationFn: () => client.threads.copyShared(secret) })
}

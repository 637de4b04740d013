import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateGitCredential, GitCredential, ThreadGitCredential, UpdateGitCredential } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The user’s own credentials. */
export function useGitCredentials() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.gitCredentials,
    queryFn: ({ signal }) => client.gitCredentials.list(signal),
    select: ({ credentials }) => credentials,
  })
}

export type SaveGitCredential =
  | { id?: undefined; request: CreateGitCredential }
  | { id: string; request: UpdateGitCredential }

export function useSaveGitCredential() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: SaveGitCredential): Promise<GitCredential> =>
      order.id === undefined
        ? client.gitCredentials.create(order.request)
        : client.gitCredentials.update(order.id, order.request),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.gitCredentials }),
    // The request contains the token, so it isn’t kept beyond the dialog that sent it.
    gcTime: 0,
  })
}

export function useRemoveGitCredential() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (credentialId: string) => client.gitCredentials.delete(credentialId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.gitCredentials }),
  })
}

/** The user’s own credentials, and which of them this thread can use. */
export function useThreadGitCredentials(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.threadGitCredentials(threadId),
    queryFn: ({ signal }) => client.gitCredentials.ofThread(threadId, signal),
    select: ({ credentials }) => credentials,
  })
}

/** Grants or revokes one credential for a thread; the others stay unchanged. */
export function useAllowGitCredential(threadId: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (change: { credential: ThreadGitCredential; isAllowed: boolean }) => {
      const { credentials } = await client.gitCredentials.ofThread(threadId)
      const others = credentials.filter(({ id, isAllowed }) => isAllowed && id !== change.credential.id)
      const ids = [...others, ...(change.isAllowed ? [change.credential] : [])].map(({ id }) => id)
      return await client.gitCredentials.allow(threadId, ids)
    },
    onSuccess: (answer) => {
      queries.setQueryData(queryKeys.threadGitCredentials(threadId), answer)
      void queries.invalidateQueries({ queryKey: queryKeys.gitCredentials, exact: true })
    },
  })
}

import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TerminalsView } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'

/** A thread’s terminals, kept up to date by events. */
export function useTerminals(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.terminals(threadId),
    queryFn: ({ signal }) => client.terminals.list(threadId, signal),
  })
}

/** Applies a `terminals` event of a thread. */
export function putTerminals(queryClient: QueryClient, threadId: string, view: TerminalsView): void {
  const key = queryKeys.terminals(threadId)
  // A response that is in flight may be older than this.
  void queryClient.cancelQueries({ queryKey: key })
  queryClient.setQueryData(key, view)
}

/** The event stream replays nothing: reloads what may have changed while it was disconnected. */
export function renewTerminals(queryClient: QueryClient): void {
  renewQueries(queryClient, { queryKey: queryKeys.allTerminals })
}

/** Opens a terminal, and wakes the sandbox. Closes the terminal that it replaces, if there is one. */
export function useOpenTerminal(threadId: string, onOpened: (id: string) => void) {
  const client = useClient()
  const queryClient = useQueryClient()
  const onError = useErrorToast()
  return useMutation({
    mutationFn: async (replaced: string | null) => {
      const opened = await client.terminals.open(threadId)
      if (replaced !== null) await client.terminals.close(threadId, replaced)
      return opened
    },
    onSuccess: ({ id }) => onOpened(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.terminals(threadId) }),
    onError,
  })
}

export function useCloseTerminal(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  const onError = useErrorToast()
  return useMutation({
    mutationFn: (id: string) => client.terminals.close(threadId, id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.terminals(threadId) }),
    onError,
  })
}

export function useRenameTerminal(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) => client.terminals.rename(threadId, id, title),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.terminals(threadId) }),
  })
}

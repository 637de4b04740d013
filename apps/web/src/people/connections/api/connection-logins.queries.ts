import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { arrivedWith } from '../../../page/client/arrival.ts'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** Starts a sign-in at an MCP server. The response contains the page to open. */
export function useStartLogin(connectionId: string) {
  const client = useClient()
  return useMutation({
    mutationFn: () => client.connections.startLogin(connectionId),
    // The response contains the state of the sign-in, so it isn’t kept beyond the dialog that shows it.
    gcTime: 0,
  })
}

/** Finishes the sign-in that the app was opened with, once. */
export function useFinishedLogin() {
  const client = useClient()
  const queries = useQueryClient()
  const query = new URLSearchParams(arrivedWith)
  const state = query.get('state') ?? ''
  return useQuery({
    queryKey: queryKeys.connectionLogin(state),
    queryFn: async () => {
      const part = (name: string) => query.get(name) ?? undefined
      const connection = await client.connections.finishLogin({
        state,
        code: part('code'),
        iss: part('iss'),
        error: part('error'),
        errorDescription: part('error_description'),
      })
      void queries.invalidateQueries({ queryKey: queryKeys.connections })
      return connection.id
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

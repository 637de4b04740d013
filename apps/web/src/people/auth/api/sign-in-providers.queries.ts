import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateSignInProvider, UpdateSignInProvider } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** For the owner: the providers with their settings. */
export function useSignInProviders() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.signInProviders,
    queryFn: ({ signal }) => client.signIn.providers(signal),
    select: ({ providers }) => providers,
  })
}

export type SaveProvider = { create: CreateSignInProvider } | { id: string; update: UpdateSignInProvider }

export function useSaveProvider() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: SaveProvider) =>
      'create' in order ? client.signIn.create(order.create) : client.signIn.update(order.id, order.update),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.signInProviders }),
  })
}

export function useRemoveProvider() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => client.signIn.remove(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.signInProviders }),
  })
}

export function useTestProvider() {
  const client = useClient()
  return useMutation({ mutationFn: (id: string) => client.signIn.test(id) })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateApiKey, UpdateSettings } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'

import { queryKeys } from '../../../page/client/query-keys.ts'

/** The current state of the installation, after a new check of the host: version, host figures, checks. */
export function useStatus() {
  const client = useClient()
  return useQuery({
    queryKey: [...queryKeys.status, 'checks'],
    queryFn: ({ signal }) => client.installation.statusWithChecks(signal),
  })
}

export function useSettings() {
  const client = useClient()
  return useQuery({ queryKey: queryKeys.settings, queryFn: ({ signal }) => client.installation.settings(signal) })
}

export function useUpdateSettings() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: UpdateSettings) => client.installation.updateSettings(request),
    onSuccess: (settings) => queries.setQueryData(queryKeys.settings, settings),
  })
}

export function useApiKeys() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.apiKeys,
    queryFn: () => client.account.apiKeys(),
    select: (answer) => answer.apiKeys,
  })
}

export function useCreateApiKey() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: CreateApiKey) => client.account.createApiKey(request),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.apiKeys }),
    // The response contains the secret, so it isn’t kept beyond the dialog that shows it.
    gcTime: 0,
  })
}

export function useDeleteApiKey() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (apiKeyId: string) => client.account.deleteApiKey(apiKeyId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  })
}

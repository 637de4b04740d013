import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateSecret, Secret, SecretWay, UpdateSecret } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The secrets that the user can manage. */
export function useSecrets() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.secrets,
    queryFn: ({ signal }) => client.secrets.list(signal),
    select: ({ secrets }) => secrets,
  })
}

export type SaveSecret = ({ id?: undefined; request: CreateSecret } | { id: string; request: UpdateSecret }) & {
  /** All threads of these can use it, and of no others. */
  workspaceIds: readonly string[]
}

export function useSaveSecret() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (order: SaveSecret): Promise<Secret> => {
      let secret =
        order.id === undefined
          ? await client.secrets.create(order.request)
          : await client.secrets.update(order.id, order.request)
      for (const id of order.workspaceIds.filter((one) => !secret.workspaceIds.includes(one))) {
        secret = await client.secrets.grantToWorkspace(secret.id, id)
      }
      for (const id of secret.workspaceIds.filter((one) => !order.workspaceIds.includes(one))) {
        secret = await client.secrets.revokeFromWorkspace(secret.id, id)
      }
      return secret
    },
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.secrets }),
    // The request contains the value, so it isn’t kept beyond the dialog that sent it.
    gcTime: 0,
  })
}

export function useRemoveSecret() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (secretId: string) => client.secrets.delete(secretId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.secrets }),
  })
}

/** The secrets that a thread can use, and those that the user can let it use. */
export function useThreadSecrets(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.threadSecrets(threadId),
    queryFn: ({ signal }) => client.secrets.ofThread(threadId, signal),
    // What isn’t in effect yet is tried again.
    refetchInterval: ({ state }) => (state.data?.isInEffect === false ? 2000 : false),
  })
}

/** Grants a secret to a thread, or revokes it (`way` null). */
export function useGrantSecret(threadId: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ secretId, way }: { secretId: string; way: SecretWay | null }) =>
      way === null ? client.secrets.revoke(threadId, secretId) : client.secrets.grant(threadId, secretId, { way }),
    onSuccess: (answer) => {
      queries.setQueryData(queryKeys.threadSecrets(threadId), answer)
      void queries.invalidateQueries({ queryKey: queryKeys.secrets, exact: true })
    },
  })
}

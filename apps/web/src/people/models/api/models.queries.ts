import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ConnectModel, ModelConnection, ModelTest, UpdateModel } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'

import { queryKeys } from '../../../page/client/query-keys.ts'

/** The connected models, the default first. */
export function useModels() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.models,
    queryFn: ({ signal }) => client.models.list(signal),
    select: ({ models }) => models.toSorted((left, right) => Number(right.isDefault) - Number(left.isDefault)),
  })
}

/** Models found on the host and in its environment that aren’t connected yet. */
export function useDiscoveredModels() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.discoveredModels,
    queryFn: ({ signal }) => client.models.discover(signal),
    select: ({ models }) => models,
    staleTime: 60_000,
  })
}

export type SavedModel = { model: ModelConnection; test: ModelTest }

/**
 * Saves a model and makes one real call with it. Without `id` it is a new one. Throws if saving fails; if the call
 * fails, the model is saved and the failure is in `test`. `onSaved` is called between the two.
 */
export function useSaveAndTestModel() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (order: SaveOrder): Promise<SavedModel> => {
      const saved =
        order.id === undefined
          ? await client.models.connect(order.request)
          : await client.models.update(order.id, order.request)
      order.onSaved(saved)
      return { model: saved, test: await client.models.test(saved.id) }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.models }),
  })
}

export type SaveOrder = { onSaved: (model: ModelConnection) => void } & (
  | { id?: undefined; request: ConnectModel }
  | { id: string; request: UpdateModel }
)

export function useTestModel() {
  const client = useClient()
  return useMutation({ mutationFn: (modelId: string) => client.models.test(modelId) })
}

export function useMakeDefaultModel() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (modelId: string) => client.models.update(modelId, { isDefault: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.models }),
  })
}

export function useRemoveModel() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (modelId: string) => client.models.delete(modelId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.models }),
  })
}

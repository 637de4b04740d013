import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  AskForMore,
  CreateQuotaPreset,
  DecideQuotaRequest,
  UpdateOwnQuotas,
  UpdatePersonQuotas,
  UpdateQuotaPreset,
} from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** So often, a page that stays open notices that little is left. */
const refreshMs = 300_000

/** The person’s own limits and what they have used of them. */
export function useQuotas() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.quotas,
    queryFn: ({ signal }) => client.quotas.own(signal),
    refetchInterval: refreshMs,
  })
}

/** Everything below `quotas` loads again after a change of limits. */
function useChange<Order, Answer>(change: (order: Order) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.quotas }),
  })
}

export function useUpdateOwnQuotas() {
  const client = useClient()
  return useChange((request: UpdateOwnQuotas) => client.quotas.updateOwn(request))
}

export function useAskForMore() {
  const client = useClient()
  return useChange((request: AskForMore) => client.quotas.ask(request))
}

/** Who asks for more; for the owner and admins. */
export function useQuotaRequests() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.quotaRequests,
    queryFn: ({ signal }) => client.quotas.requests(signal),
    select: ({ requests }) => requests,
  })
}

export function useDecideQuotaRequest() {
  const client = useClient()
  return useChange(({ id, ...decision }: { id: string } & DecideQuotaRequest) => client.quotas.decide(id, decision))
}

export function useQuotaPresets() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.quotaPresets,
    queryFn: ({ signal }) => client.quotas.presets(signal),
    select: ({ presets }) => presets,
  })
}

export function useSavePreset() {
  const client = useClient()
  return useChange(({ id, ...preset }: { id: string | null } & CreateQuotaPreset & UpdateQuotaPreset) =>
    id === null ? client.quotas.createPreset(preset) : client.quotas.updatePreset(id, preset),
  )
}

export function useRemovePreset() {
  const client = useClient()
  return useChange((presetId: string) => client.quotas.removePreset(presetId))
}

export function usePersonQuotas(personId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.personQuotas(personId),
    queryFn: ({ signal }) => client.quotas.ofPerson(personId, signal),
  })
}

export function useUpdatePersonQuotas() {
  const client = useClient()
  return useChange(({ id, ...change }: { id: string } & UpdatePersonQuotas) => client.quotas.updatePerson(id, change))
}

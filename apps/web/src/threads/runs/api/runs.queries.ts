import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateSchedule, CreateWebhook, KeepRuns, UpdateSchedule, UpdateWebhook } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewAgents } from '../../agents/api/agents.queries.ts'

/** Newest first, page by page. */
export function useRuns(agentId: string) {
  const client = useClient()
  return useInfiniteQuery({
    queryKey: queryKeys.runs(agentId),
    queryFn: ({ pageParam, signal }) =>
      client.runs.list(agentId, { ...(pageParam === null ? {} : { cursor: pageParam }), signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
}

/** How many runs of the agent keep their threads. */
export function useKeptRuns(agentId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.keptRuns(agentId),
    queryFn: ({ signal }) => client.runs.kept(agentId, { signal }),
  })
}

/** What another value would remove now. */
export function useAskKeptRuns(agentId: string) {
  const client = useClient()
  return useMutation({ mutationFn: (keep: number) => client.runs.kept(agentId, { keep }) })
}

export const useSetKeptRuns = (agentId: string) =>
  useRunChange((client, request: KeepRuns) => client.runs.setKept(agentId, request))

export function useSchedules(agentId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.schedules(agentId),
    queryFn: ({ signal }) => client.runs.schedules(agentId, signal),
    select: (answer) => answer.schedules,
  })
}

export function useWebhooks(agentId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.webhooks(agentId),
    queryFn: ({ signal }) => client.runs.webhooks(agentId, signal),
    select: (answer) => answer.webhooks,
  })
}

/** The next times of a schedule that is being edited. */
export function useNextTimes(plan: { cron: string; timeZone: string }) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.nextTimes(plan),
    queryFn: ({ signal }) => client.runs.nextTimes(plan.cron, plan.timeZone, signal),
    select: (answer) => answer.next,
    enabled: plan.cron.trim() !== '' && plan.timeZone !== '',
    placeholderData: (before) => before,
    retry: false,
  })
}

function useRunChange<Input, Answer>(change: (client: ReturnType<typeof useClient>, input: Input) => Promise<Answer>) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => change(client, input),
    onSuccess: () => renewAgents(queryClient),
  })
}

export const useStartRun = (agentId: string) =>
  useRunChange((client, request: { input: string; key: string }) => client.runs.start(agentId, request))

export const useCancelRun = () => useRunChange((client, runId: string) => client.runs.cancel(runId))

export const useSaveSchedule = (agentId: string) =>
  useRunChange((client, { id, request }: { id: string | undefined; request: CreateSchedule }) =>
    id === undefined ? client.runs.createSchedule(agentId, request) : client.runs.updateSchedule(id, request),
  )

export const useChangeSchedule = () =>
  useRunChange((client, { id, request }: { id: string; request: UpdateSchedule }) =>
    client.runs.updateSchedule(id, request),
  )

export const useDeleteSchedule = () => useRunChange((client, id: string) => client.runs.deleteSchedule(id))

export const useCreateWebhook = (agentId: string) =>
  useRunChange((client, request: CreateWebhook) => client.runs.createWebhook(agentId, request))

export const useChangeWebhook = () =>
  useRunChange((client, { id, request }: { id: string; request: UpdateWebhook }) =>
    client.runs.updateWebhook(id, request),
  )

export const useRenewWebhookSecret = () => useRunChange((client, id: string) => client.runs.renewWebhookSecret(id))

export const useDeleteWebhook = () => useRunChange((client, id: string) => client.runs.deleteWebhook(id))

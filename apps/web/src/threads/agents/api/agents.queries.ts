import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CreateAgent, Environment, StartAgent, UpdateAgent } from '@threadbox/sdk'
import { useCallback, useRef, useState } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { putThread } from '../../../page/thread/api/thread-queries.ts'

/** The agents of the user and of the user’s workspaces, by name. */
export function useAgents() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agents,
    queryFn: ({ signal }) => client.agents.list(signal),
    select: (answer) => answer.agents,
  })
}

/** Includes all versions, newest first. */
export function useAgent(agentId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agent(agentId),
    queryFn: ({ signal }) => client.agents.get(agentId, signal),
  })
}

/** The newest run and the next scheduled run of each agent. If they can’t be loaded, the agents are still listed. */
export function useLatestRuns() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.latestRuns,
    queryFn: ({ signal }) => client.runs.latest(signal),
    select: (answer) => new Map(answer.agents.map((agent) => [agent.agentId, agent])),
  })
}

export function renewAgents(queryClient: QueryClient): void {
  renewQueries(queryClient, { queryKey: queryKeys.agents })
}

/** The target of a save: a new version of an agent, or a new agent. */
export type SavedAgent = { agentId: string; change: UpdateAgent } | { agentId: null; change: CreateAgent }

export function useSaveAgent() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ agentId, change }: SavedAgent) =>
      agentId === null ? client.agents.create(change) : client.agents.update(agentId, change),
    onSuccess: () => renewAgents(queryClient),
  })
}

export function useSetAgentVersion(agentId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (version: number) => client.agents.setVersion(agentId, { version }),
    onSuccess: () => renewAgents(queryClient),
  })
}

export function useDeleteAgentVersion(agentId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (version: number) => client.agents.deleteVersion(agentId, version),
    onSuccess: () => renewAgents(queryClient),
  })
}

export function useDeleteAgent() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (agentId: string) => client.agents.delete(agentId),
    onSuccess: () => renewAgents(queryClient),
  })
}

/** Copies a thread’s sandbox. If the copy isn’t saved, the dialog discards it, or the server does after an hour. */
export function useCapture(threadId: string, { isWanted, keepMemory }: { isWanted: boolean; keepMemory: boolean }) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.capture(threadId, keepMemory),
    queryFn: () => client.agents.capture(threadId, { keepMemory }),
    enabled: isWanted,
    // Each opening of the dialog makes one copy of the current state.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnMount: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
}

/**
 * Packages that this thread was the third one to install. The server announces them with the same event as changes of
 * agents.
 */
export function useAgentOffer(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agentOffer(threadId),
    queryFn: ({ signal }) => client.agents.offer(threadId, signal),
    select: (answer) => answer.packages,
  })
}

/** Dismisses the offer permanently. */
export function useCloseOffer(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => client.agents.closeOffer(threadId),
    onMutate: () => queryClient.setQueryData(queryKeys.agentOffer(threadId), { packages: [] }),
  })
}

/** Discards a copy that won’t be saved. A failure is ignored: the server discards it later. */
export function useDiscard(): (environment: Environment | undefined) => void {
  const client = useClient()
  return (environment) => {
    if (environment !== undefined) void client.agents.discard(environment.id).catch(() => undefined)
  }
}

/** Uploads an agent file and reports the progress. */
export function useImportAgent() {
  const client = useClient()
  const queryClient = useQueryClient()
  const [sentBytes, setSentBytes] = useState(0)
  const sending = useRef<AbortController>(null)
  const importAgent = useMutation({
    mutationFn: ({ file, workspaceId }: { file: File; workspaceId: string | null }) => {
      setSentBytes(0)
      sending.current = new AbortController()
      return client.agents.import(file, { workspaceId, onProgress: setSentBytes, signal: sending.current.signal })
    },
    onSuccess: () => renewAgents(queryClient),
  })
  const abort = useCallback(() => sending.current?.abort(), [])
  return { importAgent, sentBytes, abort }
}

/** Starts a thread from an agent and opens it. */
export function useStartAgent() {
  const client = useClient()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const showError = useErrorToast()
  return useMutation({
    mutationFn: ({ agentId, ...request }: StartAgent & { agentId: string }) => client.agents.start(agentId, request),
    onSuccess: (thread) => {
      putThread(queryClient, thread)
      void navigate({ to: '/threads/$threadId', params: { threadId: thread.id } })
    },
    onError: showError,
  })
}

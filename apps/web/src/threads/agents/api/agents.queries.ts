import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CreateAgent, Environment, StartAgent, UpdateAgent } from '@threadbox/sdk'
import { useCallback, useRef, useState } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { putThread } from '../../../page/thread/api/thread-queries.ts'

/** Those of the person and of their workspaces, in the order of names. */
export function useAgents() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agents,
    queryFn: ({ signal }) => client.agents.list(signal),
    select: (answer) => answer.agents,
  })
}

/** With all versions, newest first. */
export function useAgent(agentId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agent(agentId),
    queryFn: ({ signal }) => client.agents.get(agentId, signal),
  })
}

/** By agent: the newest run, and when a schedule is due next. Where it cannot be had the agents are listed all the same. */
export function useLatestRuns() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.latestRuns,
    queryFn: ({ signal }) => client.runs.latest(signal),
    select: (answer) => new Map(answer.agents.map((agent) => [agent.agentId, agent])),
  })
}

export function renewAgents(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.agents })
}

/** Where what is saved goes: into a version of an agent, or into a new one. */
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

/** Copies the computer of a thread. One that is not saved is given up by the dialog, or after an hour. */
export function useCapture(threadId: string, { isWanted, keepMemory }: { isWanted: boolean; keepMemory: boolean }) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.capture(threadId, keepMemory),
    queryFn: () => client.agents.capture(threadId, { keepMemory }),
    enabled: isWanted,
    // Each opening of the dialog makes one copy, of what is there then.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnMount: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
}

/** Packages that this thread installed as the third one. The server says when there are some, as it does of agents. */
export function useAgentOffer(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agentOffer(threadId),
    queryFn: ({ signal }) => client.agents.offer(threadId, signal),
    select: (answer) => answer.packages,
  })
}

/** Takes the offer away for ever. */
export function useCloseOffer(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => client.agents.closeOffer(threadId),
    onMutate: () => queryClient.setQueryData(queryKeys.agentOffer(threadId), { packages: [] }),
  })
}

/** Gives up a copy that is not to be saved. Who fails at it does nothing: it goes by itself. */
export function useDiscard(): (environment: Environment | undefined) => void {
  const client = useClient()
  return (environment) => {
    if (environment !== undefined) void client.agents.discard(environment.id).catch(() => undefined)
  }
}

/** Sends a file of an agent; how much of it has left is seen meanwhile. */
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

/** Starts a thread from an agent and goes there. */
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

import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Service, ServicesView } from '@threadbox/sdk'
import { useEffect } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'

const openLogsMs = 1000
const closedLogsMs = 5000

/** The services of a thread, kept true by what the server tells. */
export function useServices(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.services(threadId),
    queryFn: ({ signal }) => client.services.list(threadId, signal),
  })
}

/** Takes over what the server told about the services of a thread. */
export function putServices(queryClient: QueryClient, threadId: string, view: ServicesView): void {
  const key = queryKeys.services(threadId)
  // An answer that was on its way may be older than this.
  void queryClient.cancelQueries({ queryKey: key })
  queryClient.setQueryData(key, view)
}

/** Nothing is replayed: what changed while nobody listened is in the lists. */
export function renewServices(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.allServices })
}

/** Starts a service again with its stored command; wakes the sandbox when it sleeps. */
export function useRestartService(threadId: string) {
  const client = useClient()
  const onError = useErrorToast()
  return useMutation({ mutationFn: (name: string) => client.services.restart(threadId, name), onError })
}

export function useStopService(threadId: string) {
  const client = useClient()
  const onError = useErrorToast()
  return useMutation({ mutationFn: (name: string) => client.services.stop(threadId, name), onError })
}

export function useRemoveService(threadId: string) {
  const client = useClient()
  const onError = useErrorToast()
  return useMutation({ mutationFn: (name: string) => client.services.remove(threadId, name), onError })
}

/** Brings the sandbox back with its memory. */
export function useWake(threadId: string) {
  const client = useClient()
  const onError = useErrorToast()
  return useMutation({ mutationFn: () => wakeSandbox(client, threadId), onError })
}

/**
 * The end of what a service printed, renewed while it runs. While it sleeps nothing is asked, because asking would wake it;
 * of one that ended it is read once somebody looks.
 */
export function useServiceLogs(threadId: string, service: Service, isOpen: boolean) {
  const client = useClient()
  const queryClient = useQueryClient()
  const { name, status, since } = service
  const isUp = status === 'running' || status === 'starting'
  const queryKey = queryKeys.serviceLogs(threadId, name)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per change of the status
  useEffect(() => {
    if (status !== 'suspended') void queryClient.invalidateQueries({ queryKey })
  }, [since, status, queryClient])
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => client.services.logs(threadId, name, { signal }),
    enabled: isUp || (isOpen && status !== 'suspended'),
    refetchInterval: isUp ? (isOpen ? openLogsMs : closedLogsMs) : false,
  })
}

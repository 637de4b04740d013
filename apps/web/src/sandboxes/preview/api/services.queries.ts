import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Service, ServicesView } from '@threadbox/sdk'
import { useEffect } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'

const openLogsMs = 1000
const closedLogsMs = 5000

/** A thread’s services, kept up to date by events. */
export function useServices(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.services(threadId),
    queryFn: ({ signal }) => client.services.list(threadId, signal),
  })
}

/** Applies a `services` event of a thread. */
export function putServices(queryClient: QueryClient, threadId: string, view: ServicesView): void {
  const key = queryKeys.services(threadId)
  // A response that is in flight may be older than this.
  void queryClient.cancelQueries({ queryKey: key })
  queryClient.setQueryData(key, view)
}

/** The event stream replays nothing: reloads what may have changed while it was disconnected. */
export function renewServices(queryClient: QueryClient): void {
  renewQueries(queryClient, { queryKey: queryKeys.allServices })
}

/** Restarts a service with its stored command. Wakes a sleeping sandbox. */
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

/** Wakes the sandbox with its memory. */
export function useWake(threadId: string) {
  const client = useClient()
  const onError = useErrorToast()
  return useMutation({ mutationFn: () => wakeSandbox(client, threadId), onError })
}

/**
 * The end of a service’s output, reloaded while it runs. Nothing is requested while the sandbox sleeps, because that
 * would wake it. For an ended service it is loaded when the log is opened.
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

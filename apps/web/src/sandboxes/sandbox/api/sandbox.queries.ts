import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChangeSandboxDetail, SandboxAction, SandboxDetail, SandboxView } from '@threadbox/sdk'
import { useEffect } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'

/** Only the figures of a running sandbox change without an event. */
const renewMs = 5000

/**
 * Everything the panel shows. `sandbox` is the state from the event stream: when it changes, the rest is fetched again.
 * The state itself is never taken from this response, so that panel, chip and sidebar can’t disagree.
 */
export function useSandboxDetail(threadId: string, sandbox: SandboxView) {
  const client = useClient()
  const queryClient = useQueryClient()
  const stateKey = JSON.stringify(sandbox)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per change of state
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: queryKeys.sandbox(threadId) })
  }, [stateKey, threadId, queryClient])
  return useQuery({
    queryKey: queryKeys.sandbox(threadId),
    queryFn: ({ signal }) => client.sandboxes.get(threadId, signal),
    refetchInterval: sandbox.state === 'active' ? renewMs : false,
  })
}

/** The disk snapshots of earlier turns. While the sandbox is awake, a turn may end at any time and add one. */
export function useSnapshots(threadId: string, sandbox: SandboxView) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.snapshots(threadId),
    queryFn: ({ signal }) => client.snapshots.list(threadId, signal),
    enabled: sandbox.state !== 'fresh',
    refetchInterval: sandbox.state === 'active' ? renewMs : false,
  })
}

export function useSandboxAction(threadId: string, action: SandboxAction) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => (action === 'wake' ? wakeSandbox(client, threadId) : client.sandboxes[action](threadId)),
    onSuccess: (detail) => queryClient.setQueryData<SandboxDetail>(queryKeys.sandbox(threadId), detail),
  })
}

/** Keeps the sandbox awake until a given time; null ends the hold. */
export function useHold(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (until: number | null) => client.sandboxes.hold(threadId, { until }),
    onSuccess: (detail) => queryClient.setQueryData<SandboxDetail>(queryKeys.sandbox(threadId), detail),
  })
}

/** Changes limits and the thread’s own policy. */
export function useChangeSandbox(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (request: ChangeSandboxDetail) => client.sandboxes.change(threadId, request),
    onSuccess: (detail) => queryClient.setQueryData<SandboxDetail>(queryKeys.sandbox(threadId), detail),
  })
}

/** Restarts a process that ended when memory was discarded. */
export function useStartRescued(threadId: string) {
  const client = useClient()
  return useMutation({ mutationFn: (restartId: string) => client.sandboxes.startRescued(threadId, restartId) })
}

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { MachineSpan } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The host measures for each request; a page that is left open asks for little. */
const refreshMs = 15_000

export function useMachine() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.machine,
    queryFn: ({ signal }) => client.machine.get(signal),
    refetchInterval: refreshMs,
  })
}

/** Runs the host’s checks, which start a sandbox: only on request. */
export function useMachineChecks() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.machineChecks,
    queryFn: async ({ signal }) => (await client.machine.getWithChecks(signal)).checks,
    enabled: false,
  })
}

/** While a backup runs, its progress is shown. */
const [progressMs, quietMs] = [2000, 60_000]

/** Only for the owner and admins. */
export function useBackups({ isEnabled = true } = {}) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.backups,
    queryFn: ({ signal }) => client.machine.backups(signal),
    enabled: isEnabled,
    refetchInterval: ({ state }) => ((state.data?.running ?? null) === null ? quietMs : progressMs),
  })
}

export function useRunBackup() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.machine.runBackup(),
    onSuccess: (backups) => queries.setQueryData(queryKeys.backups, backups),
    onError: () => queries.invalidateQueries({ queryKey: queryKeys.backups }),
  })
}

export function useMachineHistory(span: MachineSpan) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.machineHistory(span),
    queryFn: ({ signal }) => client.machine.history(span, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

export function useSandboxOrder(order: 'pause' | 'stop') {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (sandboxId: string) => client.machine[order](sandboxId),
    // Also after a failure: the sandbox may have changed in the meantime.
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.machine, exact: true }),
  })
}

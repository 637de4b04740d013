import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Connection, CreateConnection, ToolApproval, UpdateConnection } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** How often a starting MCP program is checked. */
const startingMs = 1500

/** The user’s own connections and those of the user’s workspaces. */
export function useConnections() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.connections,
    queryFn: ({ signal }) => client.connections.list(signal),
    select: ({ connections }) => connections,
    // A program finishes starting without an event.
    refetchInterval: ({ state }) =>
      state.data?.connections.some(({ status }) => status === 'starting') === true ? startingMs : false,
  })
}

/** Popular MCP servers. */
export function useConnectionPresets() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.connectionPresets,
    queryFn: ({ signal }) => client.connections.presets(signal),
    select: ({ presets }) => presets,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export type SaveConnection = { id?: undefined; request: CreateConnection } | { id: string; request: UpdateConnection }

/** Stores a connection, also if its server can’t be reached: the response reports that. */
export function useSaveConnection() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: SaveConnection): Promise<Connection> =>
      order.id === undefined
        ? client.connections.create(order.request)
        : client.connections.update(order.id, order.request),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.connections }),
    // The request contains the token, so it isn’t kept beyond the dialog that sent it.
    gcTime: 0,
  })
}

/** Changes one connection by a call that returns the changed connection. */
function useConnectionCall<Input>(call: (input: Input) => Promise<Connection>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: call,
    onSuccess: (changed) => {
      queries.setQueryData<{ connections: Connection[] }>(queryKeys.connections, (known) =>
        known === undefined
          ? known
          : { connections: known.connections.map((one) => (one.id === changed.id ? changed : one)) },
      )
    },
  })
}

export function useTestConnection(connectionId: string) {
  const client = useClient()
  return useConnectionCall<void>(() => client.connections.test(connectionId))
}

export function useEnableConnection(connectionId: string) {
  const client = useClient()
  return useConnectionCall<boolean>((isEnabled) => client.connections.update(connectionId, { isEnabled }))
}

export function useApproveTools(connectionId: string) {
  const client = useClient()
  return useConnectionCall<Record<string, ToolApproval>>((tools) => client.connections.approve(connectionId, tools))
}

export function useRemoveConnection() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (connectionId: string) => client.connections.delete(connectionId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.connections }),
  })
}

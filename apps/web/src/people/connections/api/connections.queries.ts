import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Connection, CreateConnection, ToolApproval, UpdateConnection } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** How often a program that starts is looked at. */
const startingMs = 1500

/** The person's own connections and those of their workspaces. */
export function useConnections() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.connections,
    queryFn: ({ signal }) => client.connections.list(signal),
    select: ({ connections }) => connections,
    // The start of a program ends by itself, and nothing else tells of it.
    refetchInterval: ({ state }) =>
      state.data?.connections.some(({ status }) => status === 'starting') === true ? startingMs : false,
  })
}

/** Servers that many people connect. */
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

/** Stores a connection. It is stored also when its server cannot be reached; the answer says so. */
export function useSaveConnection() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: SaveConnection): Promise<Connection> =>
      order.id === undefined
        ? client.connections.create(order.request)
        : client.connections.update(order.id, order.request),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.connections }),
    // The request holds the token: it is not kept beyond the dialog that sent it.
    gcTime: 0,
  })
}

/** Changes one connection by a call whose answer is the connection as it is then. */
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

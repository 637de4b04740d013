import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Thread, ThreadboxClient, UpdateWorkspace, Workspace, Workspaces } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'

const workspacesQuery = (client: ThreadboxClient) =>
  queryOptions({ queryKey: queryKeys.workspaces, queryFn: ({ signal }) => client.workspaces.list(signal) })

const none: Workspace[] = []

/** The user’s workspaces, in order. Empty while they load, which takes no longer than the threads. */
export function useWorkspaces(): Workspace[] {
  return useQuery(workspacesQuery(useClient())).data?.workspaces ?? none
}

/** The values that workspaces inherit. */
export function useWorkspaceValues(): Workspaces['installation'] | undefined {
  return useQuery(workspacesQuery(useClient())).data?.installation
}

/** The model of a thread: its own, else its workspace’s; null for the default of the installation. */
export function useModelOf(thread: Pick<Thread, 'modelId' | 'workspaceId'> | undefined): string | null {
  const workspaces = useWorkspaces()
  return thread?.modelId ?? workspaces.find(({ id }) => id === thread?.workspaceId)?.modelId ?? null
}

/** Reloads after a change of workspaces: which ones exist, their threads, or what these inherit. */
export function renewWorkspaces(queryClient: QueryClient): void {
  for (const queryKey of [queryKeys.workspaces, queryKeys.threads, queryKeys.allSandboxes]) {
    renewQueries(queryClient, { queryKey })
  }
}

function put(queryClient: QueryClient, workspace: Workspace): void {
  queryClient.setQueryData<Workspaces>(
    queryKeys.workspaces,
    (known) =>
      known && { ...known, workspaces: known.workspaces.map((each) => (each.id === workspace.id ? workspace : each)) },
  )
}

export function useCreateWorkspace() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => client.workspaces.create({ name }),
    onSuccess: (workspace) => {
      queryClient.setQueryData<Workspaces>(
        queryKeys.workspaces,
        (known) =>
          known && { ...known, workspaces: [...known.workspaces.filter(({ id }) => id !== workspace.id), workspace] },
      )
    },
  })
}

export function useUpdateWorkspace(workspaceId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (request: UpdateWorkspace) => client.workspaces.update(workspaceId, request),
    onSuccess: (workspace) => put(queryClient, workspace),
  })
}

/** Changes that are shown immediately and undone if the server rejects them. */
export function useChangeWorkspace(): (
  workspace: Workspace,
  shown: Partial<Workspace>,
  request: UpdateWorkspace,
) => void {
  const client = useClient()
  const queryClient = useQueryClient()
  const showError = useErrorToast()
  return (workspace, shown, request) => {
    put(queryClient, { ...workspace, ...shown })
    client.workspaces.update(workspace.id, request).then(
      (updated) => put(queryClient, updated),
      (error: unknown) => {
        put(queryClient, workspace)
        showError(error)
      },
    )
  }
}

/** Moves a workspace before another one, or to the end. */
export function usePlaceWorkspace(): (workspaceId: string, before: string | null) => void {
  const client = useClient()
  const queryClient = useQueryClient()
  const showError = useErrorToast()
  return (workspaceId, before) => {
    client.workspaces
      .place(workspaceId, { before })
      .then((workspaces) => queryClient.setQueryData(queryKeys.workspaces, workspaces), showError)
  }
}

export function useWorkspaceContents(workspaceId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.workspaceContents(workspaceId),
    queryFn: ({ signal }) => client.workspaces.contents(workspaceId, signal),
    // Fetched again each time: it shows what is about to be deleted.
    gcTime: 0,
    staleTime: 0,
  })
}

export function useDeleteWorkspace() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (workspaceId: string) => client.workspaces.delete(workspaceId),
    onSuccess: () => renewWorkspaces(queryClient),
  })
}

export function useRestoreWorkspace(): (workspaceId: string) => void {
  const client = useClient()
  const queryClient = useQueryClient()
  const showError = useErrorToast()
  return (workspaceId) => {
    client.workspaces.restore(workspaceId).then(() => renewWorkspaces(queryClient), showError)
  }
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { GitFile, SandboxView } from '@threadbox/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'
import { homeFolder } from '../../../page/content/state/names.logic.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { usePageThread } from '../../panes/state/page-thread.ts'

/** The repositories of a thread and the working tree of one of them, while its sandbox is awake. */
export function useGitLook(threadId: string, at: { path: string; repository: string | null }, isAwake: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.gitLook(threadId, at),
    queryFn: ({ signal }) => {
      const { path, repository } = at
      return client.git.look(threadId, path, { repository: repository ?? undefined, signal })
    },
    enabled: isAwake,
    retry: false,
  })
}

/** The changes of one file since the last commit. */
export function useGitDiff(threadId: string, of: { root: string; file: GitFile }, isEnabled: boolean) {
  const client = useClient()
  const { path, from } = of.file
  return useQuery({
    queryKey: queryKeys.gitDiff(threadId, { root: of.root, file: path, from }),
    queryFn: ({ signal }) =>
      client.git.diff(threadId, { path: of.root, file: path, ...(from === null ? {} : { from }) }, { signal }),
    enabled: isEnabled,
    retry: false,
    gcTime: 60_000,
  })
}

/** Reloads when the turn has changed files or has ended. Returns a function that reloads on request. */
export function useReloadGit(threadId: string): () => void {
  const queryClient = useQueryClient()
  const page = usePageThread()
  const reload = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queryKeys.git(threadId) }),
    [queryClient, threadId],
  )
  const own = page?.threadId === threadId ? page : null
  const seen = useRef({ isTurnRunning: own?.isTurnRunning, turnChanges: own?.turnChanges })
  useEffect(() => {
    const now = { isTurnRunning: own?.isTurnRunning, turnChanges: own?.turnChanges }
    const hasEnded = seen.current.isTurnRunning === true && now.isTurnRunning !== true
    if (hasEnded || seen.current.turnChanges !== now.turnChanges) reload()
    seen.current = now
  }, [reload, own?.isTurnRunning, own?.turnChanges])
  return reload
}

/** Wakes the sandbox, or creates it if it doesn’t exist yet. */
export function useWake(threadId: string, state: SandboxView['state']) {
  const client = useClient()
  const onError = useErrorToast()
  return useMutation({
    mutationFn: async () => {
      if (state === 'fresh') await client.files.list(threadId, homeFolder, { limit: 1 })
      else await wakeSandbox(client, threadId)
    },
    onError,
  })
}

import {
  keepPreviousData,
  type QueryClient,
  skipToken,
  type UseQueryResult,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { FileEntry, ThreadboxClient } from '@threadbox/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'
import { parentOf } from '../../../page/content/state/names.logic.ts'
import type { Listing } from '../state/tree.logic.ts'

const partSize = 2000
/** The list shows how many entries are left out. */
const mostEntries = 20_000
/** Twice within the minute for which the server watches. */
const renewMs = 25_000
const reloadDelayMs = 700

type Folder = { entries: FileEntry[]; total: number }

async function readFolder(
  client: ThreadboxClient,
  where: { threadId: string; path: string; signal: AbortSignal },
): Promise<Folder> {
  const { threadId, path, signal } = where
  const entries: FileEntry[] = []
  let after = ''
  for (;;) {
    const page = await client.files.list(threadId, path, { after, limit: partSize, wake: false, signal })
    entries.push(...page.entries)
    if (page.next === null || entries.length >= mostEntries) return { entries, total: page.total }
    after = page.next
  }
}

/** The known content of each of these folders. Reading the folder of a sleeping sandbox doesn’t wake it. */
export function useFolders(
  threadId: string,
  paths: readonly string[],
  isReadable: boolean,
): ReadonlyMap<string, Listing & { retry: () => void }> {
  const client = useClient()
  // Returns the same map while nothing in it changed: thousands of rows are sorted from it.
  const combine = useCallback(
    (results: UseQueryResult<Folder>[]) =>
      new Map(
        paths.map((path, index) => {
          const result = results[index]
          const listing = {
            entries: result?.data?.entries ?? [],
            total: result?.data?.total ?? 0,
            isLoading: result?.isLoading ?? false,
            isUnknown: result?.data === undefined && result?.error == null && result?.fetchStatus === 'idle',
            error: result?.error ?? null,
            retry: () => void result?.refetch(),
          }
          return [path, listing]
        }),
      ),
    [paths],
  )
  return useQueries({
    queries: paths.map((path) => ({
      queryKey: queryKeys.folder(threadId, path),
      queryFn: ({ signal }: { signal: AbortSignal }) => readFolder(client, { threadId, path, signal }),
      enabled: isReadable,
      retry: false,
    })),
    combine,
  })
}

/** The current entry of one file. */
export function useFileEntry(threadId: string, path: string, isReadable: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.fileEntry(threadId, path),
    queryFn: ({ signal }) => client.files.entry(threadId, path, { wake: false, signal }),
    enabled: isReadable,
    retry: false,
  })
}

/** The first bytes of a version of a file. */
export function useFileBytes(
  threadId: string,
  entry: Pick<FileEntry, 'path' | 'sizeBytes' | 'version'>,
  options: { limitBytes: number; isEnabled: boolean },
) {
  const client = useClient()
  const { path, sizeBytes, version } = entry
  const { limitBytes } = options
  return useQuery({
    queryKey: queryKeys.fileContent(threadId, path, { version, limitBytes }),
    queryFn: async ({ signal }) => {
      const range = sizeBytes > limitBytes ? { range: `bytes=0-${limitBytes - 1}` } : {}
      const response = await client.files.read(threadId, path, { ...range, wake: false, signal })
      const bytes = new Uint8Array(await response.arrayBuffer())
      // The version that was read, not the requested one: the file may have been written in between.
      return { bytes, version: response.headers.get('etag') ?? version, isWhole: response.status === 200 }
    },
    enabled: options.isEnabled,
    retry: false,
    // The previous version stays visible until the next one is loaded.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}

/** While these folders are in view, the server reports changes in them. A hidden tab doesn’t watch. */
export function useWatchedFolders(threadId: string, paths: readonly string[], isAwake: boolean): void {
  const client = useClient()
  const queryClient = useQueryClient()
  const key = JSON.stringify(paths)
  const wasAwake = useRef(isAwake)
  useEffect(() => {
    // The process that woke the sandbox may already have written files.
    if (isAwake && !wasAwake.current) renewFolder(queryClient, threadId, null)
    wasAwake.current = isAwake
    if (!isAwake) return
    const wanted: string[] = JSON.parse(key)
    const renew = () => {
      if (document.visibilityState === 'hidden') return
      // The watch is renewed soon; until then the list can be refreshed by hand.
      client.files.watch(threadId, wanted).catch(() => undefined)
    }
    renew()
    const timer = setInterval(renew, renewMs)
    // Nothing was watched while the tab was hidden.
    const onVisible = () => {
      renew()
      if (document.visibilityState === 'visible') renewFolder(queryClient, threadId, null)
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [client, queryClient, threadId, key, isAwake])
}

/** Folders that changed while they were being read. They are read once more. */
const changedWhileRead = new Set<string>()

/** Reloads a changed folder where it is in view. */
export function renewFolder(queryClient: QueryClient, threadId: string, path: string | null): void {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => {
    const [kind, ofThread, ofPath] = queryKey
    if (ofThread !== threadId || typeof ofPath !== 'string') return false
    if (kind === 'folder') return path === null || ofPath === path
    return kind === 'file-entry' && (path === null || parentOf(ofPath) === path)
  }
  // A folder that changes all the time would never finish loading if each change restarted the request.
  if (queryClient.isFetching({ predicate }) > 0) {
    const key = `${threadId} ${path ?? ''}`
    if (changedWhileRead.has(key)) return
    changedWhileRead.add(key)
    setTimeout(() => {
      changedWhileRead.delete(key)
      renewFolder(queryClient, threadId, path)
    }, reloadDelayMs)
    return
  }
  void queryClient.invalidateQueries({ predicate })
}

/** The event stream replays nothing: reloads what may have changed while it was disconnected. */
export function renewFiles(queryClient: QueryClient): void {
  renewQueries(queryClient, { predicate: ({ queryKey: [kind] }) => kind === 'folder' || kind === 'file-entry' })
}

/** File operations. Each wakes a sleeping sandbox. */
export function useFileActions(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  const renew = (...paths: string[]) => {
    for (const path of paths) renewFolder(queryClient, threadId, path)
  }
  return {
    makeFolder: useMutation({
      mutationFn: (path: string) => client.files.makeFolder(threadId, path),
      onSuccess: (entry) => renew(parentOf(entry.path)),
    }),
    makeFile: useMutation({
      mutationFn: (path: string) => client.files.write(threadId, path, new Blob([]), { onlyIfNew: true }),
      onSuccess: (entry) => renew(parentOf(entry.path)),
    }),
    move: useMutation({
      mutationFn: (request: { from: string; to: string }) => client.files.move(threadId, request),
      onSuccess: (_entry, { from, to }) => renew(parentOf(from), parentOf(to)),
    }),
    remove: useMutation({
      mutationFn: (path: string) => client.files.delete(threadId, path),
      onSuccess: (_entry, path) => renew(parentOf(path)),
    }),
  }
}

/** Applies the progress of a copy that the server reports. */
export function receiveCopying(
  queryClient: QueryClient,
  event: { copyId: string; files: number; bytes: number },
): void {
  const { copyId, files, bytes } = event
  queryClient.setQueryData<CopiedSoFar>(queryKeys.copying(copyId), { files, bytes })
}

type CopiedSoFar = { files: number; bytes: number }

export function useCopying(copyId: string): CopiedSoFar | undefined {
  return useQuery<CopiedSoFar>({ queryKey: queryKeys.copying(copyId), queryFn: skipToken, gcTime: 0 }).data
}

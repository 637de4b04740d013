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
import { parentOf } from '../../../page/content/state/names.models.ts'
import type { Listing } from '../state/tree.models.ts'

const partSize = 2000
/** More entries than anybody scrolls through; the list says how many are left out. */
const mostEntries = 20_000
/** Twice within the minute that the server watches for. */
const renewMs = 25_000
const againMs = 700

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

/** What is in each of these folders, as far as it is known. One that sleeps is read and goes on sleeping. */
export function useFolders(
  threadId: string,
  paths: readonly string[],
  isReadable: boolean,
): ReadonlyMap<string, Listing & { retry: () => void }> {
  const client = useClient()
  // The same map for as long as nothing in it changed: thousands of lines are sorted from it.
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

/** One file as it is now. */
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
      // What was read, and not what was asked for: it may have been written in between.
      return { bytes, version: response.headers.get('etag') ?? version, isWhole: response.status === 200 }
    },
    enabled: options.isEnabled,
    retry: false,
    // What was seen stays until the next version of it is here.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}

/** While these folders are in view changes in them are told; a hidden tab asks for nothing. */
export function useWatchedFolders(threadId: string, paths: readonly string[], isAwake: boolean): void {
  const client = useClient()
  const queryClient = useQueryClient()
  const key = JSON.stringify(paths)
  const wasAwake = useRef(isAwake)
  useEffect(() => {
    // Whatever woke it may have written already.
    if (isAwake && !wasAwake.current) renewFolder(queryClient, threadId, null)
    wasAwake.current = isAwake
    if (!isAwake) return
    const wanted: string[] = JSON.parse(key)
    const renew = () => {
      if (document.visibilityState === 'hidden') return
      // It is renewed soon; until then the list can be read again by hand.
      client.files.watch(threadId, wanted).catch(() => undefined)
    }
    renew()
    const timer = setInterval(renew, renewMs)
    // While it was hidden nothing was watched.
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

/** Folders that changed while they were being read: they are read once more. */
const again = new Set<string>()

/** Something in a folder is not as it was: what is known of it is read again where it is in view. */
export function renewFolder(queryClient: QueryClient, threadId: string, path: string | null): void {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => {
    const [kind, ofThread, ofPath] = queryKey
    if (ofThread !== threadId || typeof ofPath !== 'string') return false
    if (kind === 'folder') return path === null || ofPath === path
    return kind === 'file-entry' && (path === null || parentOf(ofPath) === path)
  }
  // A folder that changes all the time would never be read if each change began its reading anew.
  if (queryClient.isFetching({ predicate }) > 0) {
    const key = `${threadId} ${path ?? ''}`
    if (again.has(key)) return
    again.add(key)
    setTimeout(() => {
      again.delete(key)
      renewFolder(queryClient, threadId, path)
    }, againMs)
    return
  }
  void queryClient.invalidateQueries({ predicate })
}

/** Nothing is replayed: what changed while nobody listened is read again. */
export function renewFiles(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind] }) => kind === 'folder' || kind === 'file-entry',
  })
}

/** What a person does with files. Each wakes the sandbox when it sleeps. */
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

/** How far a copy is, as the server tells it. */
export function receiveCopying(
  queryClient: QueryClient,
  event: { copyId: string; files: number; bytes: number },
): void {
  const { copyId, files, bytes } = event
  queryClient.setQueryData<CopySofar>(queryKeys.copying(copyId), { files, bytes })
}

type CopySofar = { files: number; bytes: number }

export function useCopying(copyId: string): CopySofar | undefined {
  return useQuery<CopySofar>({ queryKey: queryKeys.copying(copyId), queryFn: skipToken, gcTime: 0 }).data
}

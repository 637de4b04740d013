import { type QueryClient, queryOptions, replaceEqualDeep } from '@tanstack/react-query'
import type { Thread, ThreadboxClient } from '@threadbox/sdk'
import { queryKeys } from '../../client/query-keys.ts'

const pageSize = 100
/** Older threads are found by search. */
const maximumPages = 20

/** The latest state received per thread while requests may be in flight: the thread, or null if it was deleted. */
type LatestThreads = { count: number; threads: Map<string, { thread: Thread | null; number: number }> }
const latestByClient = new WeakMap<QueryClient, LatestThreads>()

function latestThreadsOf(queryClient: QueryClient): LatestThreads {
  const latest = latestByClient.get(queryClient) ?? { count: 0, threads: new Map() }
  latestByClient.set(queryClient, latest)
  return latest
}

function remember(queryClient: QueryClient, threadId: string, thread: Thread | null): void {
  const latest = latestThreadsOf(queryClient)
  latest.count += 1
  latest.threads.set(threadId, { thread, number: latest.count })
}

function forget(queryClient: QueryClient, threadId: string): void {
  latestThreadsOf(queryClient).threads.delete(threadId)
}

/** Collects the threads received from now on. A response that is in flight may have been read before them. */
function collectReceived(queryClient: QueryClient) {
  const latest = latestThreadsOf(queryClient)
  const before = latest.count
  return () => new Map([...latest.threads].filter(([, { number }]) => number > before))
}

/** All threads of the user, newest first. */
export const threadsQuery = (client: ThreadboxClient) =>
  queryOptions({
    queryKey: queryKeys.threads,
    queryFn: async ({ signal, client: queryClient }): Promise<Thread[]> => {
      const receivedSince = collectReceived(queryClient)
      const fetched = await fetchThreads(client, signal)
      const received = receivedSince()
      const changed = [...received.values()].flatMap(({ thread }) => thread ?? [])
      return [...changed, ...fetched.filter(({ id }) => !received.has(id))]
    },
    structuralSharing: sharedById,
  })

/**
 * Keeps the object of each unchanged thread, wherever it is in the list now, so that its row isn’t rendered again. The
 * library compares by position: one thread that moves to the top would make new objects of all threads it passes, in
 * every tab.
 */
function sharedById(before: unknown, now: unknown): unknown {
  if (before === undefined) return now
  const [held, threads] = [before as Thread[], now as Thread[]]
  const byId = new Map(held.map((thread) => [thread.id, thread]))
  const shared = threads.map((thread) => replaceEqualDeep(byId.get(thread.id), thread))
  return shared.length === held.length && shared.every((thread, index) => thread === held[index]) ? held : shared
}

export const threadQuery = (client: ThreadboxClient, threadId: string) =>
  queryOptions({
    queryKey: queryKeys.thread(threadId),
    queryFn: async ({ signal, client: queryClient }): Promise<Thread> => {
      const receivedSince = collectReceived(queryClient)
      const fetched = await client.threads.get(threadId, signal)
      return receivedSince().get(threadId)?.thread ?? fetched
    },
  })

async function fetchThreads(client: ThreadboxClient, signal: AbortSignal): Promise<Thread[]> {
  const threads: Thread[] = []
  let cursor: string | undefined
  for (let count = 0; count < maximumPages; count += 1) {
    const page = await client.threads.list({
      ...(cursor === undefined ? {} : { cursor }),
      limit: pageSize,
      signal,
    })
    threads.push(...page.threads)
    if (page.next === null) break
    cursor = page.next
  }
  return threads
}

/** Applies a thread received from the server to the sidebar and its page. */
export function putThread(queryClient: QueryClient, thread: Thread): void {
  remember(queryClient, thread.id, thread.deletedAt === null ? thread : null)
  showThread(queryClient, thread)
}

/** Restores what was shown before a change that failed, and reloads the server’s state. */
export function putBackThread(queryClient: QueryClient, thread: Thread): void {
  forget(queryClient, thread.id)
  showThread(queryClient, thread)
  void queryClient.invalidateQueries({ queryKey: queryKeys.threads })
  void queryClient.invalidateQueries({ queryKey: queryKeys.thread(thread.id) })
}

/** Shows an expected state of a thread. The server’s state replaces it, including from a response that is in flight. */
export function showThread(queryClient: QueryClient, thread: Thread): void {
  queryClient.setQueryData(queryKeys.thread(thread.id), thread)
  queryClient.setQueryData<Thread[]>(queryKeys.threads, (threads) => {
    if (threads === undefined) return threads
    const others = threads.filter((candidate) => candidate.id !== thread.id)
    return thread.deletedAt === null ? [thread, ...others] : others
  })
}

/** Removes a deleted thread. */
export function dropThread(queryClient: QueryClient, threadId: string): void {
  remember(queryClient, threadId, null)
  queryClient.setQueryData<Thread[]>(queryKeys.threads, (threads) =>
    threads?.filter((thread) => thread.id !== threadId),
  )
}

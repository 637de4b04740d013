import { type QueryClient, queryOptions, replaceEqualDeep } from '@tanstack/react-query'
import type { Thread, ThreadboxClient } from '@threadbox/sdk'
import { queryKeys } from '../../client/query-keys.ts'

const pageSize = 100
/** More threads than anybody scrolls through; older ones are found by searching. */
const maximumPages = 20

/** What was told of a thread while answers may be on their way: the thread, or null when it is gone. */
type Told = { count: number; threads: Map<string, { thread: Thread | null; number: number }> }
const toldOf = new WeakMap<QueryClient, Told>()

function toldTo(queryClient: QueryClient): Told {
  const told = toldOf.get(queryClient) ?? { count: 0, threads: new Map() }
  toldOf.set(queryClient, told)
  return told
}

function remember(queryClient: QueryClient, threadId: string, thread: Thread | null): void {
  const told = toldTo(queryClient)
  told.count += 1
  told.threads.set(threadId, { thread, number: told.count })
}

function forget(queryClient: QueryClient, threadId: string): void {
  toldTo(queryClient).threads.delete(threadId)
}

/** From now on: what is told of a thread. An answer that was on its way meanwhile may have been read before it. */
function listen(queryClient: QueryClient) {
  const told = toldTo(queryClient)
  const before = told.count
  return () => new Map([...told.threads].filter(([, { number }]) => number > before))
}

/** All threads of the person, newest first. */
export const threadsQuery = (client: ThreadboxClient) =>
  queryOptions({
    queryKey: queryKeys.threads,
    queryFn: async ({ signal, client: queryClient }): Promise<Thread[]> => {
      const toldMeanwhile = listen(queryClient)
      const fetched = await fetchThreads(client, signal)
      const told = toldMeanwhile()
      const changed = [...told.values()].flatMap(({ thread }) => thread ?? [])
      return [...changed, ...fetched.filter(({ id }) => !told.has(id))]
    },
    structuralSharing: sharedById,
  })

/**
 * Keeps the object of each thread that is as it was, wherever it stands now, so that its row is not drawn again. The library's
 * own way compares by position: one thread that moves to the top would make new objects of all that it passes, in every tab.
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
      const toldMeanwhile = listen(queryClient)
      const fetched = await client.threads.get(threadId, signal)
      return toldMeanwhile().get(threadId)?.thread ?? fetched
    },
  })

async function fetchThreads(client: ThreadboxClient, signal: AbortSignal): Promise<Thread[]> {
  const threads: Thread[] = []
  let cursor: string | undefined
  for (let page = 0; page < maximumPages; page += 1) {
    const answer = await client.threads.list({
      ...(cursor === undefined ? {} : { cursor }),
      limit: pageSize,
      signal,
    })
    threads.push(...answer.threads)
    if (answer.next === null) break
    cursor = answer.next
  }
  return threads
}

/** Takes over what the server said about a thread, in the sidebar and on its page. */
export function putThread(queryClient: QueryClient, thread: Thread): void {
  remember(queryClient, thread.id, thread.deletedAt === null ? thread : null)
  showThread(queryClient, thread)
}

/** Puts back what was shown before a change that failed; the server says what is so. */
export function putBackThread(queryClient: QueryClient, thread: Thread): void {
  forget(queryClient, thread.id)
  showThread(queryClient, thread)
  void queryClient.invalidateQueries({ queryKey: queryKeys.threads })
  void queryClient.invalidateQueries({ queryKey: queryKeys.thread(thread.id) })
}

/** Shows a thread as it will be: what the server says, also in an answer that is on its way, replaces it. */
export function showThread(queryClient: QueryClient, thread: Thread): void {
  queryClient.setQueryData(queryKeys.thread(thread.id), thread)
  queryClient.setQueryData<Thread[]>(queryKeys.threads, (threads) => {
    if (threads === undefined) return threads
    const others = threads.filter((candidate) => candidate.id !== thread.id)
    return thread.deletedAt === null ? [thread, ...others] : others
  })
}

/** Forgets a thread that is gone. */
export function dropThread(queryClient: QueryClient, threadId: string): void {
  remember(queryClient, threadId, null)
  queryClient.setQueryData<Thread[]>(queryKeys.threads, (threads) =>
    threads?.filter((thread) => thread.id !== threadId),
  )
}

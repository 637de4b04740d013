import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Thread, ThreadboxClient } from '@threadbox/sdk'
import { queryKeys } from '../../../app/query-keys.ts'

const pageSize = 100
/** More threads than anybody scrolls through; older ones are found by searching. */
const maximumPages = 20

/** All threads of the person, newest first. */
export const threadsQuery = (client: ThreadboxClient) =>
  queryOptions({
    queryKey: queryKeys.threads,
    queryFn: async ({ signal }): Promise<Thread[]> => {
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
    },
  })

export const threadQuery = (client: ThreadboxClient, threadId: string) =>
  queryOptions({
    queryKey: queryKeys.thread(threadId),
    queryFn: ({ signal }) => client.threads.get(threadId, signal),
  })

/** Takes over what the server said about a thread, in the sidebar and on its page. */
export function putThread(queryClient: QueryClient, thread: Thread): void {
  queryClient.setQueryData(queryKeys.thread(thread.id), thread)
  queryClient.setQueryData<Thread[]>(queryKeys.threads, (threads) => {
    if (threads === undefined) return threads
    const others = threads.filter((candidate) => candidate.id !== thread.id)
    return thread.deletedAt === null ? [thread, ...others] : others
  })
}

/** Forgets a thread that is gone. */
export function dropThread(queryClient: QueryClient, threadId: string): void {
  queryClient.setQueryData<Thread[]>(queryKeys.threads, (threads) =>
    threads?.filter((thread) => thread.id !== threadId),
  )
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The shortest query sent to the server: one letter is in nearly every message. */
export const shortestQuery = 2

/** Hits in titles, messages, commands and file names. The previous ones stay while the next ones load. */
export function useSearch(query: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.search(query),
    queryFn: ({ signal }) => client.threads.search(query, { limit: 30, signal }),
    enabled: query.length >= shortestQuery,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    select: ({ hits }) => hits,
  })
}

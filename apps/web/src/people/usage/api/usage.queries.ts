import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UsageReportQuery } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** What was used in a period. The previous report stays while another one loads. */
export function useUsage(query: UsageReportQuery) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.usage(query),
    queryFn: ({ signal }) => client.usage.report(query, signal),
    placeholderData: keepPreviousData,
  })
}

import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Fetches again what is shown. A first response that is still on its way may have been read before the change; the
 * library doesn’t repeat such a request, so it is repeated when the response is here.
 */
export function renewQueries(queryClient: QueryClient, filters: QueryFilters): void {
  for (const query of queryClient.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    if (query.state.data !== undefined) continue
    const again = () => queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })
    void query.promise?.then(again, () => undefined)
  }
  void queryClient.invalidateQueries(filters)
}

import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { renewQueries } from './renew-queries.ts'

/** A query that a page shows; the test answers its requests. */
function shownQuery() {
  const queryClient = new QueryClient()
  const requests: PromiseWithResolvers<string>[] = []
  const queryFn = async () => {
    const request = Promise.withResolvers<string>()
    requests.push(request)
    return await request.promise
  }
  const observer = new QueryObserver(queryClient, { queryKey: ['threads'], queryFn, retry: false })
  onTestFinished(observer.subscribe(() => undefined))
  const shown = () => queryClient.getQueryData(['threads'])
  return { queryClient, requests, shown }
}

test('a first response that was on its way when a stream opened is followed by another request', async () => {
  const { queryClient, requests, shown } = shownQuery()
  renewQueries(queryClient, { queryKey: ['threads'] })
  expect(requests).toHaveLength(1)
  requests[0]?.resolve('read before the change')
  await expect.poll(() => requests).toHaveLength(2)
  requests[1]?.resolve('read after it')
  await expect.poll(shown).toBe('read after it')
  expect(requests).toHaveLength(2)
})

test('what is shown already is requested once more', async () => {
  const { queryClient, requests, shown } = shownQuery()
  requests[0]?.resolve('old')
  await expect.poll(shown).toBe('old')
  renewQueries(queryClient, { queryKey: ['threads'] })
  expect(requests).toHaveLength(2)
  requests[1]?.resolve('new')
  await expect.poll(shown).toBe('new')
  expect(requests).toHaveLength(2)
})

test('a first request that fails is not repeated', async () => {
  const { queryClient, requests } = shownQuery()
  renewQueries(queryClient, { queryKey: ['threads'] })
  requests[0]?.reject(new Error('refused'))
  await expect.poll(() => queryClient.getQueryState(['threads'])?.status).toBe('error')
  expect(requests).toHaveLength(1)
})

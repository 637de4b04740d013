import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { isThreadboxError, type ThreadboxClient } from '@threadbox/sdk'
import { queryKeys } from './query-keys.ts'

export const meQuery = (client: ThreadboxClient) =>
  queryOptions({ queryKey: queryKeys.me, queryFn: ({ signal }) => client.account.me(signal), staleTime: 60_000 })

export const setupQuery = (client: ThreadboxClient) =>
  queryOptions({ queryKey: queryKeys.setup, queryFn: ({ signal }) => client.account.setup(signal) })

/**
 * Lets only signed-in users through: others go to the sign-in page, or to the sign-up page before the first
 * account exists. If the server can’t be reached, the page opens with cached data and reports the lost connection.
 */
export async function requireSession(
  context: { client: ThreadboxClient; queryClient: QueryClient },
  location: { href: string },
): Promise<void> {
  try {
    await context.queryClient.ensureQueryData(meQuery(context.client))
  } catch (error) {
    if (!isThreadboxError(error) || error.kind !== 'unauthenticated') return
    const setup = await context.queryClient.fetchQuery(setupQuery(context.client))
    if (!setup.ownerExists) throw redirect({ to: '/setup' })
    throw redirect({ to: '/login', search: { return: location.href } })
  }
}

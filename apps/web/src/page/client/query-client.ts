import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isThreadboxError } from '@threadbox/sdk'

/** `onSignedOut` is called when the session is no longer valid. */
export function makeQueryClient(options: { onSignedOut: () => void }): QueryClient {
  const onError = (error: unknown) => {
    // A wrong password has the same kind, and doesn’t end the session.
    if (isThreadboxError(error) && error.code === 'auth.required') options.onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 30_000, retry: shouldRetry, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  })
}

/** Retries only if the server didn’t respond: another attempt would get the same response. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < 2 && isThreadboxError(error) && error.kind === 'unavailable'
}

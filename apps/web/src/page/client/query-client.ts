import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isThreadboxError } from '@threadbox/sdk'

/** `onSignedOut` is called when the server no longer knows who is asking. */
export function makeQueryClient(options: { onSignedOut: () => void }): QueryClient {
  const onError = (error: unknown) => {
    // A wrong password is of the same kind, and says nothing about the session.
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

/** Only a server that did not answer is asked again: any other answer would be the same. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < 2 && isThreadboxError(error) && error.kind === 'unavailable'
}

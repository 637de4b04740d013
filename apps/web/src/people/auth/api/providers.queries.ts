import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { StartedProviderSignIn, StartProviderSignIn } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** The providers with which people can sign in, and what the code of a refusal means. */
export function useSignInButtons(problem?: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.signInButtons(problem),
    queryFn: ({ signal }) => client.signIn.buttons({ problem, signal }),
  })
}

/** The page of a provider. It comes back to the server, which opens the app again. */
function leaveFor({ url }: StartedProviderSignIn): void {
  location.assign(url)
}

export function useStartProviderSignIn() {
  const client = useClient()
  return useMutation({
    mutationFn: (request: StartProviderSignIn) => client.signIn.start(request),
    onSuccess: leaveFor,
  })
}

export function useIdentities() {
  const client = useClient()
  return useQuery({ queryKey: queryKeys.identities, queryFn: ({ signal }) => client.signIn.identities(signal) })
}

export function useConnectIdentity() {
  const client = useClient()
  return useMutation({
    mutationFn: (providerId: string) => client.signIn.connect({ providerId, returnTo: '/settings/you' }),
    onSuccess: leaveFor,
  })
}

/** The page is left, and opened again when the person has signed in there: what asked must be repeated. */
export function useConfirmAtProvider() {
  const client = useClient()
  return useMutation({
    mutationFn: (providerId: string) =>
      client.signIn.confirm({ providerId, returnTo: location.pathname + location.search }),
    onSuccess: leaveFor,
  })
}

export function useDisconnectIdentity() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (identityId: string) => client.signIn.disconnect(identityId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.identities }),
  })
}

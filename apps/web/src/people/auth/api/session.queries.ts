import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChangePassword, SetupState, SignIn, SignUp, UpdateMe } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { meQuery, setupQuery } from '../../../page/client/session.ts'

/** The signed-in user. Protected routes have checked that there is one. */
export function useMe() {
  return useQuery(meQuery(useClient()))
}

/** The progress of the installation. Reloaded every two seconds while the host is being prepared. */
export function useSetupState() {
  const query = setupQuery(useClient())
  return useQuery({ ...query, refetchInterval: ({ state }) => (isReady(state.data) ? false : 2000) })
}

function isReady(setup: SetupState | undefined): boolean {
  return setup?.isHostReachable === true && setup.preparing.length === 0
}

/** Creates the owner, who is signed in afterwards. */
export function useSignUp() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: SignUp) => client.account.signUp(request),
    onSuccess: (me) => {
      queries.clear()
      queries.setQueryData(queryKeys.me, me)
    },
  })
}

export function useSignIn() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: SignIn) => client.account.signIn(request),
    onSuccess: (me) => {
      queries.clear()
      queries.setQueryData(queryKeys.me, me)
    },
  })
}

/** Ends the session and clears all data loaded with it. */
export function useSignOut() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.account.signOut(),
    onSuccess: () => queries.clear(),
  })
}

export function useUpdateMe() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: UpdateMe) => client.account.update(request),
    onSuccess: (me) => queries.setQueryData(queryKeys.me, me),
  })
}

export function useChangePassword() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: ChangePassword) => client.account.changePassword(request),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.sessions }),
  })
}

export function useSessions() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.sessions,
    queryFn: () => client.account.sessions(),
    select: (answer) => answer.sessions,
  })
}

export function useEndSession() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (sessionId: string) => client.account.endSession(sessionId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.sessions }),
  })
}

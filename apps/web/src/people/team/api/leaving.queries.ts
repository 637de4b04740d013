import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PersonalNames } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'

/** Call when people, their roles or an offer of ownership may have changed. */
export function renewPeople(queries: QueryClient): void {
  for (const queryKey of [queryKeys.people, queryKeys.ownershipOffer]) renewQueries(queries, { queryKey })
}

/** What a person has, by number; null: this person. */
export function useBelongings(personId: string | null) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.belongings(personId),
    queryFn: ({ signal }) =>
      personId === null ? client.leaving.ownBelongings(signal) : client.leaving.belongings(personId, signal),
    staleTime: 0,
  })
}

export function useHandOver(personId: string) {
  const client = useClient()
  return useMutation({ mutationFn: (to: string) => client.leaving.handOver(personId, { to }) })
}

/** Null: one’s own account. */
export function useErase(personId: string | null) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => (personId === null ? client.leaving.eraseOwn() : client.leaving.erase(personId)),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.people }),
  })
}

export function useOwnershipOffer() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.ownershipOffer,
    queryFn: ({ signal }) => client.leaving.ownershipOffer(signal),
    select: ({ offer }) => offer,
  })
}

/** Offers, ends or accepts an offer of ownership. */
export function useChangeOwnership() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (change: { kind: 'offer'; personId: string } | { kind: 'end' | 'accept' }) => {
      if (change.kind === 'offer') await client.leaving.offerOwnership({ personId: change.personId })
      else if (change.kind === 'end') await client.leaving.endOwnershipOffer()
      else await client.leaving.acceptOwnership()
    },
    onSuccess: () =>
      Promise.all(
        [queryKeys.ownershipOffer, queryKeys.people, queryKeys.me].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  })
}

export function useOpenThread(threadId: string) {
  const client = useClient()
  return useMutation({ mutationFn: (reason: string) => client.leaving.openThread(threadId, { reason }) })
}

/** What of the viewer’s own stops working when others can work in the workspace’s threads. */
export function usePersonalUsesIn(workspaceId: string): PersonalNames | undefined {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.personalUsesIn(workspaceId),
    queryFn: ({ signal }) => client.leaving.personalUsesIn(workspaceId, signal),
  }).data
}

export function usePersonalUses(threadId: string): PersonalNames | undefined {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.personalUses(threadId),
    queryFn: ({ signal }) => client.leaving.personalUses(threadId, signal),
  }).data
}

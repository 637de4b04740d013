import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateInvite, People, Person, UpdatePerson, WorkspaceMembers, WorkspaceRole } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

const none: Person[] = []

/** Everyone here, by name. */
export function usePeople() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.people,
    queryFn: ({ signal }) => client.people.list(signal),
    select: ({ people }) => people,
    staleTime: 60_000,
  })
}

/** The name of a person; undefined while names load, and for a person who has left. */
export function usePersonName(userId: string | undefined): string | undefined {
  return (usePeople().data ?? none).find(({ id }) => id === userId)?.name
}

export function useUpdatePerson() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...change }: { id: string } & UpdatePerson) => client.people.update(id, change),
    onSuccess: (person) =>
      queries.setQueryData<People>(
        queryKeys.people,
        (known) => known && { people: known.people.map((each) => (each.id === person.id ? person : each)) },
      ),
  })
}

export function useCreateResetLink() {
  const client = useClient()
  return useMutation({ mutationFn: (personId: string) => client.people.createResetLink(personId) })
}

/** Invites that can still be used; for the owner and admins. */
export function useInvites() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.invites,
    queryFn: ({ signal }) => client.people.invites(signal),
    select: ({ invites }) => invites,
  })
}

export function useCreateInvite() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (request: CreateInvite) => client.people.invite(request),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.invites }),
  })
}

export function useRevokeInvite() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (inviteId: string) => client.people.revokeInvite(inviteId),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.invites }),
  })
}

export function useMembers(workspaceId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.members(workspaceId),
    queryFn: ({ signal }) => client.workspaces.members(workspaceId, signal),
    select: ({ members }) => members,
  })
}

/** Sets a person’s role in a workspace; null removes the person. */
export function useSetMember(workspaceId: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: WorkspaceRole | null }) =>
      role === null
        ? client.workspaces.removeMember(workspaceId, userId)
        : client.workspaces.setMember(workspaceId, userId, { role }),
    onSuccess: (members) => queries.setQueryData<WorkspaceMembers>(queryKeys.members(workspaceId), members),
  })
}

export function useLeaveWorkspace() {
  const client = useClient()
  return useMutation({ mutationFn: (workspaceId: string) => client.workspaces.leave(workspaceId) })
}

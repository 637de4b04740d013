import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Skill, SkillBody } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'

/** The skills of the user and of the user’s workspaces, by name. */
export function useSkills() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.skills,
    queryFn: ({ signal }) => client.skills.list(signal),
    select: (answer) => answer.skills,
  })
}

/** Includes the instructions and the names of its files. */
export function useSkillContent(skillId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.skill(skillId),
    queryFn: ({ signal }) => client.skills.get(skillId, signal),
    // Fetched again each time: it is about to be edited.
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** Reads the current version, for a form that has an older one. */
export function useReadSkill() {
  const client = useClient()
  return useMutation({ mutationFn: (skillId: string) => client.skills.get(skillId) })
}

/** The skills of a thread’s agent, and where each comes from. */
export function useThreadSkills(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.threadSkills(threadId),
    queryFn: ({ signal }) => client.skills.ofThread(threadId, signal),
    select: (answer) => answer.skills,
  })
}

export function renewSkills(queryClient: QueryClient): void {
  renewQueries(queryClient, { queryKey: queryKeys.skills })
}

/** Adds a skill, or replaces the content of one. */
export function useSaveSkill() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ target, body }: { target: SkillTarget; body: SkillBody }) =>
      'skillId' in target
        ? client.skills.replace(target.skillId, body, target.over === undefined ? {} : { ifMatch: target.over })
        : client.skills.create(body, target),
    onSuccess: () => renewSkills(queryClient),
  })
}

/**
 * The target of a save: an existing skill (only its version `over` if given), or a new one for a workspace or for all
 * threads (null).
 */
export type SkillTarget = { skillId: string; over?: string } | { workspaceId: string | null }

export function useMoveSkill() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ skill, workspaceId }: { skill: Skill; workspaceId: string | null }) =>
      client.skills.move(skill.id, { workspaceId }),
    onSuccess: () => renewSkills(queryClient),
  })
}

export function useDeleteSkill() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (skillId: string) => client.skills.delete(skillId),
    onSuccess: () => renewSkills(queryClient),
  })
}

/** Saves a folder of a thread’s sandbox as a skill. */
export function useSaveFolder(threadId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (request: { path: string; workspaceId: string | null }) => client.skills.saveFolder(threadId, request),
    onSuccess: () => renewSkills(queryClient),
  })
}

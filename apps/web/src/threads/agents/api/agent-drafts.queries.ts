import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AcceptAgentDraft } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewAgents } from './agents.queries.ts'

/** Imported agent files that wait for the user’s review, oldest first. */
export function useAgentDrafts() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agentDrafts,
    queryFn: ({ signal }) => client.agents.drafts(signal),
    select: (answer) => answer.drafts,
  })
}

export function useAgentDraft(draftId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agentDraft(draftId),
    queryFn: ({ signal }) => client.agents.draft(draftId, signal),
  })
}

/** One file of a skill in a draft. It never changes. */
export function useDraftFile(draftId: string, { skill, path }: { skill: string; path: string }) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.agentDraftFile(draftId, skill, path),
    queryFn: ({ signal }) => client.agents.draftFile(draftId, skill, { path, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useAcceptDraft(draftId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (choices: AcceptAgentDraft) => client.agents.accept(draftId, choices),
    onSuccess: () => renewAgents(queryClient),
  })
}

export function useDeclineDraft(draftId: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => client.agents.decline(draftId),
    onSuccess: () => renewAgents(queryClient),
  })
}

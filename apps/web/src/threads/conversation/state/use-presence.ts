import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { PersonPresent, Thread } from '@threadbox/sdk'
import { useEffect, useRef } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'

/** The server forgets a person 25 s after their last report. */
const reportMs = 10_000
/** While a person types, the others learn of it once in this time, and of the end immediately. */
const typingMs = 3000

const alone: PersonPresent[] = []

/** The others who have the thread open. Reports that this person has, while the page is visible and others could see it. */
export function usePresence(thread: Thread | undefined, text: string): PersonPresent[] {
  const client = useClient()
  const queries = useQueryClient()
  const isShared = useIsShared(thread)
  const threadId = thread?.id ?? ''
  const lastTyped = useRef(0)
  const people = useQuery({
    queryKey: queryKeys.presence(threadId),
    queryFn: async () => (await client.threads.reportPresence(threadId, { isTyping: false })).people,
    enabled: isShared,
    refetchInterval: reportMs,
  })
  useEffect(() => {
    if (!isShared) return
    const leave = () => {
      void client.threads.reportPresence(threadId, { isTyping: false, isHere: false }).catch(() => undefined)
      queries.removeQueries({ queryKey: queryKeys.presence(threadId) })
    }
    return leave
  }, [client, queries, threadId, isShared])
  useEffect(() => {
    const isTyping = text !== ''
    if (!isShared || (isTyping ? Date.now() - lastTyped.current < typingMs : lastTyped.current === 0)) return
    lastTyped.current = isTyping ? Date.now() : 0
    // A report that fails is repeated with the next one.
    void client.threads.reportPresence(threadId, { isTyping }).catch(() => undefined)
  }, [client, threadId, isShared, text])
  return isShared ? (people.data ?? alone) : alone
}

function useIsShared(thread: Thread | undefined): boolean {
  const workspace = useWorkspaces().find(({ id }) => id === thread?.workspaceId)
  return thread !== undefined && !thread.isPrivate && workspace !== undefined && workspace.memberCount > 1
}

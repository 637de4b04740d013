import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { isThreadboxError, type Me, type PersonPresent, type Status, type UserEvent } from '@threadbox/sdk'
import { useEffect } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { renewQueries } from '../../../page/client/renew-queries.ts'
import { connectionStore } from '../../../page/online/state/connection-store.ts'
import { dropThread, putThread } from '../../../page/thread/api/thread-queries.ts'
import { renewSkills } from '../../../people/skills/api/skills.queries.ts'
import { renewPeople } from '../../../people/team/api/leaving.queries.ts'
import { renewWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { receiveCopying, renewFiles, renewFolder } from '../../../sandboxes/files/api/files.queries.ts'
import { renewServices } from '../../../sandboxes/preview/api/services.queries.ts'
import { receiveServices } from '../../../sandboxes/preview/state/preview-store.ts'
import { putTerminals, renewTerminals } from '../../../sandboxes/terminal/api/terminals.queries.ts'
import { renewAgents } from '../../../threads/agents/api/agents.queries.ts'

/** Updates the number immediately, and fetches the memory in use. */
function putAwakeCount(queryClient: QueryClient, awakeSandboxes: number): void {
  queryClient.setQueriesData<Status>({ queryKey: queryKeys.status }, (status) =>
    status?.host == null ? status : { ...status, host: { ...status.host, awakeSandboxes } },
  )
  renewQueries(queryClient, { queryKey: queryKeys.status, exact: true })
}

/** Only where it is shown: the page of the thread has asked before. */
function putPresence(queryClient: QueryClient, { threadId, people }: UserEventOf<'presence-updated'>): void {
  const me = queryClient.getQueryData<Me>(queryKeys.me)
  queryClient.setQueryData<PersonPresent[]>(
    queryKeys.presence(threadId),
    (known) => known && people.filter(({ userId }) => userId !== me?.id),
  )
}

type UserEventOf<Type extends UserEvent['type']> = Extract<UserEvent, { type: Type }>

/** Keeps the sidebar up to date while you are signed in, and tracks whether the server responds. */
export function useUserStream(): void {
  const client = useClient()
  const queryClient = useQueryClient()
  useEffect(() => {
    const abort = new AbortController()
    client
      .streamUser({
        signal: abort.signal,
        onStatus: (status) => {
          connectionStore.report(status)
          if (status.state !== 'open') return
          // Nothing is replayed: the list and the open thread contain what changed while disconnected.
          renewWorkspaces(queryClient)
          renewQueries(queryClient, { queryKey: queryKeys.allThreads })
          renewQueries(queryClient, { queryKey: queryKeys.status })
          renewServices(queryClient)
          renewFiles(queryClient)
          renewTerminals(queryClient)
          renewQueries(queryClient, { queryKey: queryKeys.allSnapshots })
          renewSkills(queryClient)
          renewAgents(queryClient)
          renewPeople(queryClient)
        },
        onEvent: (event) => {
          if (event.type === 'thread-updated') putThread(queryClient, event.thread)
          else if (event.type === 'workspaces-updated') {
            renewWorkspaces(queryClient)
            renewQueries(queryClient, { queryKey: queryKeys.allMembers })
            // A role can have changed, and with it what this person can do in the workspace’s threads.
            renewQueries(queryClient, { queryKey: queryKeys.allThreads })
          } else if (event.type === 'skills-updated') renewSkills(queryClient)
          else if (event.type === 'agents-updated') renewAgents(queryClient)
          else if (event.type === 'thread-removed') dropThread(queryClient, event.threadId)
          else if (event.type === 'services-updated') receiveServices(queryClient, event.threadId, event.services)
          else if (event.type === 'files-changed') renewFolder(queryClient, event.threadId, event.path)
          else if (event.type === 'files-copying') receiveCopying(queryClient, event)
          else if (event.type === 'awake-changed') putAwakeCount(queryClient, event.awakeSandboxes)
          else if (event.type === 'snapshots-updated')
            renewQueries(queryClient, { queryKey: queryKeys.snapshots(event.threadId) })
          else if (event.type === 'presence-updated') putPresence(queryClient, event)
          else if (event.type === 'terminals-updated') putTerminals(queryClient, event.threadId, event.terminals)
          else {
            renewQueries(queryClient, { queryKey: queryKeys.status })
            renewPeople(queryClient)
          }
        },
      })
      .catch((error: unknown) => {
        // The request for the session fails in the same way, and the app goes to the sign-in page as for any request.
        if (isThreadboxError(error)) void queryClient.invalidateQueries({ queryKey: queryKeys.me })
      })
    return () => abort.abort()
  }, [client, queryClient])
}

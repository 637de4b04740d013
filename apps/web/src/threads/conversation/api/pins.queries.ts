import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Thread, ThreadSnapshots } from '@threadbox/sdk'
import { useMemo } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import type { Pins } from '../state/pins-context.ts'

/** The turns of a thread whose end is kept, and the change of one. An event of the user’s stream renews them. */
export function usePinsOf(options: {
  threadId: string
  thread: Thread | undefined
  runningTurnId: string | undefined
}): Pins {
  const { threadId, thread, runningTurnId } = options
  const client = useClient()
  const showError = useErrorToast()
  const queryClient = useQueryClient()
  const queryKey = queryKeys.snapshots(threadId)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.snapshots.list(threadId, signal),
    enabled: thread !== undefined && thread.sandbox.state !== 'fresh',
    staleTime: Number.POSITIVE_INFINITY,
  })
  const joined = data?.snapshots.flatMap(({ turnId, isPinned }) => (isPinned ? [turnId] : [])).join(' ') ?? ''
  // The list is fetched often, and rows render again only if a pin has changed.
  const pinnedTurnIds = useMemo(() => new Set(joined === '' ? [] : joined.split(' ')), [joined])
  const setPin = useStable(async (turnId: string, isPinned: boolean) => {
    const change = client.snapshots[isPinned ? 'pin' : 'unpin'](threadId, turnId)
    await change.then((changed) => queryClient.setQueryData<ThreadSnapshots>(queryKey, changed), showError)
  })
  return useMemo(() => ({ pinnedTurnIds, runningTurnId, setPin }), [pinnedTurnIds, runningTurnId, setPin])
}

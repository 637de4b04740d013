import type { ThreadState } from '@threadbox/sdk'
import { useMemo, useState } from 'react'
import { answeredMessagesOf } from './rows.models.ts'

/** Before which message the thread is to be rewound, while that is being asked. */
export function useRewindChoice(state: ThreadState | null) {
  const messages = useMemo(() => (state === null ? [] : answeredMessagesOf(state)), [state])
  const [asked, setAsked] = useState<{ entryId: string; isChosen: boolean } | null>(null)
  const newestId = messages[0]?.id
  // They stay the same while an answer grows, so that no row is drawn anew for them.
  const actions = useMemo(
    () => ({
      askRewind: (entryId: string | null) => setAsked(entryId === null ? null : { entryId, isChosen: false }),
      chooseRewind: newestId === undefined ? null : () => setAsked({ entryId: newestId, isChosen: true }),
    }),
    [newestId],
  )
  /** `messages`: those that can be chosen, newest first. */
  return { asked, messages, actions }
}

import type { ThreadState } from '@threadbox/sdk'
import { useMemo, useState } from 'react'
import { rewindableMessagesOf } from './rows.logic.ts'

/** The message that the thread is to be rewound to, while the dialog asks. */
export function useRewindChoice(state: ThreadState | null) {
  const messages = useMemo(() => (state === null ? [] : rewindableMessagesOf(state)), [state])
  const [asked, setAsked] = useState<{ entryId: string; isChosen: boolean } | null>(null)
  const newestId = messages[0]?.id
  // Stable while a response streams, so that it doesn’t render rows again.
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

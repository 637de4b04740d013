import type { Turn } from '@threadbox/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import type { TurnChanges } from '../../../page/thread/state/turn-changes.models.ts'

/** What the page of a thread knows of it and panes beside it need. `threadId` is null for a thread that is not made yet. */
export type PageThread = {
  threadId: string | null
  isTurnRunning: boolean
  /** Of the turn that is running now. */
  turnMode: Turn['mode'] | undefined
  /** What the last turn did to files. */
  turnChanges: TurnChanges | null
  /** Adds a text to the message that is being written, and goes there. */
  append: (text: string) => void
}

let current: PageThread | null = null
const listeners = new Set<() => void>()

function offer(page: PageThread | null): void {
  current = page
  for (const listener of listeners) listener()
}

/** Lets panes use the page that is open. */
export function useOfferPageThread(page: PageThread): void {
  const { threadId, isTurnRunning, turnMode, turnChanges, append } = page
  useEffect(() => {
    offer({ threadId, isTurnRunning, turnMode, turnChanges, append })
    return () => offer(null)
  }, [threadId, isTurnRunning, turnMode, turnChanges, append])
}

/** The page that is open; null where no message can be written. */
export function usePageThread(): PageThread | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

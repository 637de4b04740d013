import type { Turn } from '@threadbox/sdk'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
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

const offered = createStore<{ page: PageThread | null }>()(() => ({ page: null }))

/** Lets panes use the page that is open. */
export function useOfferPageThread(page: PageThread): void {
  const { threadId, isTurnRunning, turnMode, turnChanges, append } = page
  useEffect(() => {
    offered.setState({ page: { threadId, isTurnRunning, turnMode, turnChanges, append } })
    return () => offered.setState({ page: null })
  }, [threadId, isTurnRunning, turnMode, turnChanges, append])
}

/** The page that is open; null where no message can be written. */
export function usePageThread(): PageThread | null {
  return useStore(offered, ({ page }) => page)
}

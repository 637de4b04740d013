import type { Turn } from '@threadbox/sdk'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { TurnChanges } from '../../../page/thread/state/turn-changes.logic.ts'

/** What panes use from the page of a thread. `threadId` is null for a thread that doesn’t exist yet. */
export type PageThread = {
  threadId: string | null
  isTurnRunning: boolean
  /** The mode of the running turn. */
  turnMode: Turn['mode'] | undefined
  /** The file changes of the last turn. */
  turnChanges: TurnChanges | null
  /** Appends a text to the draft, and focuses the composer. */
  append: (text: string) => void
}

const offered = createStore<{ page: PageThread | null }>()(() => ({ page: null }))

/** Makes the open page available to panes. */
export function useOfferPageThread(page: PageThread): void {
  const { threadId, isTurnRunning, turnMode, turnChanges, append } = page
  useEffect(() => {
    offered.setState({ page: { threadId, isTurnRunning, turnMode, turnChanges, append } })
    return () => offered.setState({ page: null })
  }, [threadId, isTurnRunning, turnMode, turnChanges, append])
}

/** The open page; null if it has no composer. */
export function usePageThread(): PageThread | null {
  return useStore(offered, ({ page }) => page)
}

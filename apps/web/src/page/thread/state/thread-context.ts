import type { WorkspaceAction } from '@threadbox/sdk'
import { createContext, useContext } from 'react'

/** What rows of a conversation can request from their page. */
export type ThreadActions = {
  threadId: string
  isTurnRunning: boolean
  /** What this person can do with the thread; everything until that is known. */
  allowed: readonly WorkspaceAction[]
  /** Who created the thread; undefined until that is known. */
  creatorId: string | undefined
  /** The message that is being edited in its row, if any. */
  editingId: string | null
  startEditing: (entryId: string | null) => void
  edit: (entryId: string, text: string) => Promise<void>
  /** Creates a thread that begins as this one was before the message of that turn. */
  forkBefore: (turnId: string) => void
  /** Asks whether to rewind the thread to before that message. */
  askRewind: (entryId: string | null) => void
  /** The same, with the message chosen in the dialog; null if there is none to choose. */
  chooseRewind: (() => void) | null
  undoRewind: (rewindId: string) => Promise<void>
  retry: (mode: 'retry' | 'continue', modelId?: string) => Promise<void>
  /** Puts a text into the composer. */
  insert: (text: string) => void
  send: (text: string) => Promise<void>
  resendOutgoing: (key: string) => void
  dropOutgoing: (key: string) => void
}

const ThreadContext = createContext<ThreadActions | null>(null)
export const ThreadActionsProvider = ThreadContext.Provider

export function useThreadActions(): ThreadActions {
  const actions = useContext(ThreadContext)
  if (actions === null) throw new TypeError('useThreadActions needs a ThreadActionsProvider above it')
  return actions
}

import type { CallDecision } from '@threadbox/sdk'
import { createContext, useContext } from 'react'

/** What cards need from their conversation. */
export type CardContextValue = {
  threadId: string
  knownPaths: ReadonlySet<string>
  /** Shows a file of the sandbox beside the conversation. */
  showFile: (path: string) => void
  stop: () => void
  runAgain: (callId: string) => void
  /** Decides a call that waits for approval. False if that failed; the error is shown. */
  decide: (callId: string, decision: CallDecision) => Promise<boolean>
  /** Puts a message into the composer, for the user to send. */
  ask: (text: string) => void
}

const CardContext = createContext<CardContextValue | null>(null)
export const CardProvider = CardContext.Provider

export function useCardActions(): CardContextValue {
  const value = useContext(CardContext)
  if (value === null) throw new TypeError('useCardActions needs a CardProvider above it')
  return value
}

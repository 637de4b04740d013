import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Transfer, Transfers } from './transfers.ts'

const TransfersContext = createContext<Transfers | null>(null)
export const TransfersProvider = TransfersContext.Provider

export function useTransfersStore(): Transfers {
  const store = useContext(TransfersContext)
  if (store === null) throw new TypeError('useTransfersStore needs a TransfersProvider above it')
  return store
}

/** What is on its way into the sandbox of a thread. */
export function useTransfers(threadId: string): readonly Transfer[] {
  const store = useTransfersStore()
  return useSyncExternalStore(store.subscribe, () => store.get(threadId))
}

import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { type Transfer, type Transfers, transfersOf } from './transfers.ts'

const TransfersContext = createContext<Transfers | null>(null)
export const TransfersProvider = TransfersContext.Provider

export function useTransfersStore(): Transfers {
  const store = useContext(TransfersContext)
  if (store === null) throw new TypeError('useTransfersStore needs a TransfersProvider above it')
  return store
}

/** What is on its way into the sandbox of a thread. */
export function useTransfers(threadId: string): readonly Transfer[] {
  return useStore(useTransfersStore().byThread, (transfers) => transfersOf(transfers, threadId))
}

import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { useStore } from 'zustand'
import { useClient } from '../../../page/client/client.ts'
import { renewFolder } from '../api/files.queries.ts'
import { makeTransfers, type Transfer, type Transfers, transfersOf } from './transfers.ts'

const TransfersContext = createContext<Transfers | null>(null)

/** Wraps every page, so that uploads continue across navigation. */
export function TransfersProvider(props: { children: ReactNode }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const [transfers] = useState(() =>
    makeTransfers(client, (threadId, folder) => renewFolder(queryClient, threadId, folder)),
  )
  return <TransfersContext value={transfers}>{props.children}</TransfersContext>
}

export function useTransfersStore(): Transfers {
  const store = useContext(TransfersContext)
  if (store === null) throw new TypeError('useTransfersStore needs a TransfersProvider above it')
  return store
}

/** The uploads into the sandbox of a thread. */
export function useTransfers(threadId: string): readonly Transfer[] {
  return useStore(useTransfersStore().byThread, (transfers) => transfersOf(transfers, threadId))
}

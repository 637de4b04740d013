import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { type Upload, type UploadsStore, uploadsOf } from './uploads-store.ts'

const UploadsContext = createContext<UploadsStore | null>(null)
export const UploadsProvider = UploadsContext.Provider

export function useUploadsStore(): UploadsStore {
  const store = useContext(UploadsContext)
  if (store === null) throw new TypeError('useUploadsStore needs an UploadsProvider above it')
  return store
}

/** The files attached to the next message of a thread. */
export function useUploads(threadId: string): readonly Upload[] {
  return useStore(useUploadsStore().byThread, (uploads) => uploadsOf(uploads, threadId))
}

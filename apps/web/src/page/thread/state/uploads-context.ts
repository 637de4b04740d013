import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Upload, UploadsStore } from './uploads-store.ts'

const UploadsContext = createContext<UploadsStore | null>(null)
export const UploadsProvider = UploadsContext.Provider

export function useUploadsStore(): UploadsStore {
  const store = useContext(UploadsContext)
  if (store === null) throw new TypeError('useUploadsStore needs an UploadsProvider above it')
  return store
}

/** The files that are attached to the next message of a thread. */
export function useUploads(threadId: string): readonly Upload[] {
  const store = useUploadsStore()
  return useSyncExternalStore(store.subscribe, () => store.get(threadId))
}

import { useSyncExternalStore } from 'react'
import { closeDrawer } from '../../../page/client/ui-state.ts'

let current: string | null = null
const listeners = new Set<() => void>()

/** Opens the dialog that shares a thread; null closes it. */
export function openShareLayer(threadId: string | null): void {
  // On a phone the sidebar that it was opened from would lie over it.
  if (threadId !== null) closeDrawer()
  current = threadId
  for (const listener of listeners) listener()
}

/** The thread that is being shared. */
export function useShareLayer(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

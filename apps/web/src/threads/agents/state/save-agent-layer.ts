import type { Thread } from '@threadbox/sdk'
import { useSyncExternalStore } from 'react'
import { closeDrawer } from '../../../page/client/ui-state.ts'

let current: Thread | null = null
const listeners = new Set<() => void>()

/** Opens the dialog that saves a thread as an agent; null closes it. */
export function openSaveAgentLayer(thread: Thread | null): void {
  // On a phone the sidebar that it was opened from would lie over it.
  if (thread !== null) closeDrawer()
  current = thread
  for (const listener of listeners) listener()
}

/** The thread that is being saved. */
export function useSaveAgentLayer(): Thread | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

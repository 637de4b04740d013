import { useSyncExternalStore } from 'react'
import { closeDrawer } from '../../../page/client/ui-state.ts'

/** The dialog about workspaces that is open. A created one takes the thread that it was created for. */
export type WorkspaceLayer =
  | { kind: 'create'; threadId: string | null }
  | { kind: 'settings'; workspaceId: string }
  | { kind: 'delete'; workspaceId: string }
  | { kind: 'move'; threadId: string }

let current: WorkspaceLayer | null = null
const listeners = new Set<() => void>()

/** Opens a dialog in the place of the one that is open; null closes it. */
export function openWorkspaceLayer(layer: WorkspaceLayer | null): void {
  // On a phone the sidebar that it was opened from would lie over it.
  if (layer !== null) closeDrawer()
  current = layer
  for (const listener of listeners) listener()
}

export function useWorkspaceLayer(): WorkspaceLayer | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

import { useSyncExternalStore } from 'react'
import { isNarrowPage } from './use-narrow.ts'

/** What of the frame is open. `layer` is the one dialog that the whole app shares. */
export type UiState = {
  isSidebarOpen: boolean
  isDrawerOpen: boolean
  layer: 'palette' | 'shortcuts' | null
}

const storageKey = 'threadbox.sidebar'
const listeners = new Set<() => void>()
let state: UiState = {
  isSidebarOpen: globalThis.localStorage?.getItem(storageKey) !== 'closed',
  isDrawerOpen: false,
  layer: null,
}

function change(next: Partial<UiState>): void {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

export function useUiState(): UiState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

/** Opens the palette or the list of shortcuts; null closes it. */
export function openLayer(layer: UiState['layer']): void {
  change({ layer })
}

export function toggleLayer(layer: NonNullable<UiState['layer']>): void {
  change({ layer: state.layer === layer ? null : layer })
}

/** The sidebar as a column on wide screens (remembered), as a drawer on narrow ones. */
export function toggleSidebar(): void {
  if (isNarrowPage()) {
    change({ isDrawerOpen: !state.isDrawerOpen })
    return
  }
  const isSidebarOpen = !state.isSidebarOpen
  localStorage.setItem(storageKey, isSidebarOpen ? 'open' : 'closed')
  change({ isSidebarOpen })
}

export function closeDrawer(): void {
  if (state.isDrawerOpen) change({ isDrawerOpen: false })
}

import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { isNarrowPage } from './browser.ts'

/** Which parts of the frame are open. */
export type UiState = {
  isSidebarOpen: boolean
  isDrawerOpen: boolean
}

const storageKey = 'threadbox.sidebar'
const ui = createStore<UiState>()(() => ({
  isSidebarOpen: globalThis.localStorage?.getItem(storageKey) !== 'closed',
  isDrawerOpen: false,
}))

export function useUiState(): UiState {
  return useStore(ui)
}

/** Toggles the sidebar: a column on wide screens (remembered), a drawer on narrow ones. */
export function toggleSidebar(): void {
  const { isSidebarOpen, isDrawerOpen } = ui.getState()
  if (isNarrowPage()) {
    ui.setState({ isDrawerOpen: !isDrawerOpen })
    return
  }
  localStorage.setItem(storageKey, isSidebarOpen ? 'closed' : 'open')
  ui.setState({ isSidebarOpen: !isSidebarOpen })
}

export function closeDrawer(): void {
  if (ui.getState().isDrawerOpen) ui.setState({ isDrawerOpen: false })
}

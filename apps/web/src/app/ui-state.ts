import { useSyncExternalStore } from 'react'

/** What stands beside a conversation. */
export type PaneName = 'sandbox'

/** What of the frame is open. `layer` is the one dialog that the whole app shares. */
export type UiState = {
  isSidebarOpen: boolean
  isDrawerOpen: boolean
  layer: 'palette' | 'shortcuts' | null
  pane: PaneName | null
  /** The part of the pane that was asked for, until it is shown. */
  paneTarget: 'limits' | null
}

const storageKey = 'threadbox.sidebar'
const paneStorageKey = 'threadbox.pane'
const narrow = '(max-width: 899px)'
const listeners = new Set<() => void>()
let state: UiState = {
  isSidebarOpen: globalThis.localStorage?.getItem(storageKey) !== 'closed',
  isDrawerOpen: false,
  layer: null,
  pane: rememberedPane(),
  paneTarget: null,
}
/** What had the focus when the pane was opened; it gets the focus back. */
let paneOpener: Element | null = null

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
  if (matchMedia(narrow).matches) {
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

/** Opens a pane beside the conversation, or closes it when it is the one that is open. */
export function togglePane(pane: PaneName): void {
  if (state.pane === pane) closePane()
  else openPane(pane)
}

/** With a target that part comes into view and has the focus, also when the pane is open already. */
export function openPane(pane: PaneName, paneTarget: UiState['paneTarget'] = null): void {
  if (state.pane === pane && paneTarget === null) return
  if (state.pane !== pane) paneOpener = document.activeElement
  localStorage.setItem(paneStorageKey, pane)
  change({ pane, paneTarget })
}

/** The part of the pane that was asked for is in view. */
export function reachPaneTarget(): void {
  change({ paneTarget: null })
}

/** The focus goes back to what opened the pane, else to the pane's toggle in the header. */
export function closePane(): void {
  if (state.pane === null) return
  const opener = paneOpener
  paneOpener = null
  localStorage.removeItem(paneStorageKey)
  change({ pane: null, paneTarget: null })
  const toggle = document.querySelector<HTMLElement>('[data-pane-toggle]')
  const target = opener instanceof HTMLElement && opener !== document.body && opener.isConnected ? opener : toggle
  // After the next paint: what lay under a sheet cannot take the focus before.
  requestAnimationFrame(() => target?.focus())
}

/** Whether a person opened the pane just now, so that the focus belongs into it; not so after a reload. */
export function wasPaneAskedFor(): boolean {
  return paneOpener !== null && state.paneTarget === null
}

/** A pane stays open over a reload, except where it would cover the whole page. */
function rememberedPane(): PaneName | null {
  if (globalThis.localStorage?.getItem(paneStorageKey) !== 'sandbox') return null
  return matchMedia(narrow).matches ? null : 'sandbox'
}

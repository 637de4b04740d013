import type { PersonalNames, Thread } from '@threadbox/sdk'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { closeDrawer } from './ui-state.ts'

/**
 * A dialog of the whole app, with its subject. `create-workspace` contains the thread to move into the new workspace.
 */
export type Layer =
  | { kind: 'palette' }
  | { kind: 'shortcuts' }
  | { kind: 'create-workspace'; threadId: string | null }
  | { kind: 'workspace-settings'; workspaceId: string }
  | { kind: 'workspace-members'; workspaceId: string }
  | { kind: 'workspace-network'; workspaceId: string }
  | { kind: 'delete-workspace'; workspaceId: string }
  | { kind: 'move-thread'; threadId: string }
  | { kind: 'share-thread'; threadId: string }
  | { kind: 'save-agent'; thread: Thread }
  /** Names what of one’s own stops working, before `proceed` is called. */
  | { kind: 'personal'; names: PersonalNames; proceed: () => void }
export type LayerOf<Kind extends Layer['kind']> = Extract<Layer, { kind: Kind }>

/** The open dialog; there is at most one. */
export const layers = createStore<{ open: Layer | null }>()(() => ({ open: null }))

/** Opens a dialog and replaces the open one. */
export function openLayer(layer: Layer): void {
  // On a phone the sidebar that it was opened from would cover it.
  closeDrawer()
  layers.setState({ open: layer })
}

/** Does nothing if another dialog is open. */
export function closeLayer(kind: Layer['kind']): void {
  if (layers.getState().open?.kind === kind) layers.setState({ open: null })
}

/** For shortcuts. A dialog that may contain typed text stays until the user closes it. */
export function toggleLayer(kind: 'palette' | 'shortcuts'): void {
  const { open } = layers.getState()
  if (open?.kind === kind) closeLayer(kind)
  else if (open === null || open.kind === 'palette' || open.kind === 'shortcuts') openLayer({ kind })
}

/** The open dialog if it is one of these kinds; null otherwise. */
export function useLayer<Kind extends Layer['kind']>(...kinds: readonly Kind[]): LayerOf<Kind> | null {
  return useStore(layers, ({ open }) => (open !== null && isOf(open, kinds) ? open : null))
}

function isOf<Kind extends Layer['kind']>(layer: Layer, kinds: readonly Kind[]): layer is LayerOf<Kind> {
  return kinds.some((kind) => kind === layer.kind)
}

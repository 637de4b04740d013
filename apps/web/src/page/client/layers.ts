import type { Thread } from '@threadbox/sdk'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { closeDrawer } from './ui-state.ts'

/** A dialog that the whole app shares, with what it is about. A workspace takes the thread that it is created for. */
export type Layer =
  | { kind: 'palette' }
  | { kind: 'shortcuts' }
  | { kind: 'create-workspace'; threadId: string | null }
  | { kind: 'workspace-settings'; workspaceId: string }
  | { kind: 'delete-workspace'; workspaceId: string }
  | { kind: 'move-thread'; threadId: string }
  | { kind: 'share-thread'; threadId: string }
  | { kind: 'save-agent'; thread: Thread }
export type LayerOf<Kind extends Layer['kind']> = Extract<Layer, { kind: Kind }>

/** One dialog is open at a time. */
export const layers = createStore<{ open: Layer | null }>()(() => ({ open: null }))

/** Opens a dialog in place of the one that is open. */
export function openLayer(layer: Layer): void {
  // On a phone the sidebar that it was opened from would lie over it.
  closeDrawer()
  layers.setState({ open: layer })
}

/** Does nothing when another dialog is open by now. */
export function closeLayer(kind: Layer['kind']): void {
  if (layers.getState().open?.kind === kind) layers.setState({ open: null })
}

/** For a key. A dialog that may hold what the person typed stays until the person closes it. */
export function toggleLayer(kind: 'palette' | 'shortcuts'): void {
  const { open } = layers.getState()
  if (open?.kind === kind) closeLayer(kind)
  else if (open === null || open.kind === 'palette' || open.kind === 'shortcuts') openLayer({ kind })
}

/** The dialog of one of these kinds that is open; null when none of them is. */
export function useLayer<Kind extends Layer['kind']>(...kinds: readonly Kind[]): LayerOf<Kind> | null {
  return useStore(layers, ({ open }) => (open !== null && isOf(open, kinds) ? open : null))
}

function isOf<Kind extends Layer['kind']>(layer: Layer, kinds: readonly Kind[]): layer is LayerOf<Kind> {
  return kinds.some((kind) => kind === layer.kind)
}

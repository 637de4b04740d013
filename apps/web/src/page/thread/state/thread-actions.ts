import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** An action of the palette, with the words by which it is found. */
export type PaletteAction = {
  id: string
  label: string
  /** `thread`: applies to the open thread. */
  scope: 'app' | 'thread'
  shortcut?: string
  run: () => void
}

type ThreadAction = Omit<PaletteAction, 'scope'>
const none: readonly ThreadAction[] = []
const offered = createStore<{ actions: readonly ThreadAction[] }>()(() => ({ actions: none }))

/** Offers actions for the open thread in the palette, updated with each render. */
export function useOfferThreadActions(actions: readonly ThreadAction[]): void {
  useEffect(() => {
    offered.setState({ actions })
    return () => offered.setState({ actions: none })
  })
}

export function useThreadActions(): readonly ThreadAction[] {
  return useStore(offered, ({ actions }) => actions)
}

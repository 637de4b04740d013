import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** Something the palette can do, with the words it is found by. */
export type PaletteAction = {
  id: string
  label: string
  /** `thread`: concerns the thread that is open. */
  scope: 'app' | 'thread'
  shortcut?: string
  run: () => void
}

type ThreadAction = Omit<PaletteAction, 'scope'>
const none: readonly ThreadAction[] = []
const offered = createStore<{ actions: readonly ThreadAction[] }>()(() => ({ actions: none }))

/** Lets the palette offer what can be done with the thread that is open, as it is after each render. */
export function useOfferThreadActions(actions: readonly ThreadAction[]): void {
  useEffect(() => {
    offered.setState({ actions })
    return () => offered.setState({ actions: none })
  })
}

export function useThreadActions(): readonly ThreadAction[] {
  return useStore(offered, ({ actions }) => actions)
}

import { useEffect, useSyncExternalStore } from 'react'

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
let current: readonly ThreadAction[] = none
const listeners = new Set<() => void>()

function offer(actions: readonly ThreadAction[]): void {
  current = actions
  for (const listener of listeners) listener()
}

/** Lets the palette offer what can be done with the thread that is open, as it is after each render. */
export function useOfferThreadActions(actions: readonly ThreadAction[]): void {
  useEffect(() => {
    offer(actions)
    return () => offer(none)
  })
}

export function useThreadActions(): readonly ThreadAction[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

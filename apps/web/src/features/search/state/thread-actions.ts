import { useEffect, useSyncExternalStore } from 'react'
import type { PaletteAction } from './palette.models.ts'

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

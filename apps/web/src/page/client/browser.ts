// biome-ignore lint/style/noRestrictedImports: page/client follows the browser
import { useSyncExternalStore } from 'react'

// Browser state as state of the page.

const narrowQuery = '(max-width: 899px)'

/** True if the page is one column, where a pane covers everything. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribeToWidth, isNarrowPage)
}

export function isNarrowPage(): boolean {
  return matchMedia(narrowQuery).matches
}

function subscribeToWidth(listener: () => void) {
  const media = matchMedia(narrowQuery)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}

/** True if the browser has a network. */
export function useNetwork(): boolean {
  return useSyncExternalStore(subscribeToNetwork, () => navigator.onLine)
}

function subscribeToNetwork(listener: () => void) {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

const storageListeners = new Set<() => void>()

/** The value stored on this device under a name; changed by {@link store}. */
export function useStored(key: string): string | null {
  return useSyncExternalStore(subscribeToStorage, () => localStorage.getItem(key))
}

/** Null removes the value. */
export function store(key: string, value: string | null): void {
  if (value === null) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
  for (const listener of storageListeners) listener()
}

function subscribeToStorage(listener: () => void) {
  storageListeners.add(listener)
  return () => storageListeners.delete(listener)
}

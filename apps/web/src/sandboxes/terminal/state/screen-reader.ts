import { useSyncExternalStore } from 'react'

const storageKey = 'threadbox.terminal-screen-reader'
const listeners = new Set<() => void>()

const isOn = () => localStorage.getItem(storageKey) === 'on'

/** Whether terminals are to be read aloud on this device: it costs time with each line, so it is chosen. */
export function useScreenReader(): [isOn: boolean, change: (isOn: boolean) => void] {
  const value = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, isOn)
  return [value, choose]
}

function choose(next: boolean): void {
  if (next) localStorage.setItem(storageKey, 'on')
  else localStorage.removeItem(storageKey)
  for (const listener of listeners) listener()
}

// biome-ignore lint/style/noRestrictedImports: page/client follows the browser
import { useSyncExternalStore } from 'react'

export type ThemeSetting = 'system' | 'light' | 'dark'

const storageKey = 'threadbox.theme'
const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function setting(): ThemeSetting {
  const stored = localStorage.getItem(storageKey)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function theme(): 'light' | 'dark' {
  const chosen = setting()
  if (chosen !== 'system') return chosen
  return systemIsDark().matches ? 'dark' : 'light'
}

function apply(): void {
  document.documentElement.dataset.theme = theme()
  for (const listener of listeners) listener()
}

/** Applies the selected theme; `system` follows the device while the page is open. */
export function startTheme(): void {
  systemIsDark().addEventListener('change', apply)
  apply()
}

export function chooseTheme(next: ThemeSetting): void {
  if (next === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, next)
  apply()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The selected theme, for the settings page. */
export function useThemeSetting(): ThemeSetting {
  return useSyncExternalStore(subscribe, setting)
}

/** The theme that is shown. */
export function useTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, theme)
}

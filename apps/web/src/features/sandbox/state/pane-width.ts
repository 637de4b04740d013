import { useState } from 'react'

const key = 'threadbox.pane-width.sandbox'

/** The width of the panel that the person chose on this device; null: the default. */
export function usePaneWidth(): [width: number | null, change: (width: number | null) => void] {
  const [width, setWidth] = useState<number | null>(() => {
    const stored = Number(localStorage.getItem(key))
    return Number.isFinite(stored) && stored > 0 ? stored : null
  })
  return [
    width,
    (next) => {
      setWidth(next)
      if (next === null) localStorage.removeItem(key)
      else localStorage.setItem(key, String(next))
    },
  ]
}

import { useState } from 'react'

const keyOf = (pane: string) => `threadbox.pane-width.${pane}`

function stored(pane: string): number | null {
  const width = Number(localStorage.getItem(keyOf(pane)))
  return Number.isFinite(width) && width > 0 ? width : null
}

/** The chosen width for panes of a kind on this device; null: the default. */
export function usePaneWidth(pane: string): [width: number | null, change: (width: number | null) => void] {
  const [chosen, setChosen] = useState(() => ({ pane, width: stored(pane) }))
  const width = chosen.pane === pane ? chosen.width : stored(pane)
  return [
    width,
    (next) => {
      setChosen({ pane, width: next })
      if (next === null) localStorage.removeItem(keyOf(pane))
      else localStorage.setItem(keyOf(pane), String(next))
    },
  ]
}

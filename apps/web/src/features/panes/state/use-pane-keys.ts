import { useEffect } from 'react'
import { paneNames, panes } from '../components/pane-registry.ts'
import { togglePane } from './pane-store.ts'

/** ⌥1–5 open and close the panes of the thread. */
export function usePaneKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.altKey || event.metaKey || event.ctrlKey || event.shiftKey) return
      // By its place on the keyboard: with ⌥ the key types another character.
      const name = paneNames.find((candidate) => event.code === `Digit${panes[candidate].digit}`)
      if (name === undefined) return
      event.preventDefault()
      togglePane(name)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

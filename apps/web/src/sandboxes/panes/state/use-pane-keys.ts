import { useEffect } from 'react'
import { togglePane } from './pane-store.ts'
import { usePanes } from './panes-context.ts'

/** ⌥1–5 open and close the panes of the thread. */
export function usePaneKeys(): void {
  const panes = usePanes()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.altKey || event.metaKey || event.ctrlKey || event.shiftKey) return
      // By its position on the keyboard: with ⌥ the key types another character.
      const pane = panes.find(({ digit }) => event.code === `Digit${digit}`)
      if (pane === undefined) return
      event.preventDefault()
      togglePane(pane.name)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [panes])
}

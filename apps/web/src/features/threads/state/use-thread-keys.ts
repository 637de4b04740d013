import { useEffect } from 'react'
import { isImeEvent } from '../../../app/keyboard.ts'
import { togglePane } from '../../../app/ui-state.ts'

/** Esc stops the answer, when nothing that is open wanted the key for itself. ⌥4 opens the sandbox. */
export function useThreadKeys(options: { isTurnRunning: boolean; stop: () => void }): void {
  const { isTurnRunning, stop } = options
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // By its place on the keyboard: with ⌥ the key types another character.
      if (event.code !== 'Digit4' || !event.altKey || event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      togglePane('sandbox')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (!isTurnRunning) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isImeEvent(event)) return
      if (document.querySelector('[role=dialog],[role=menu],[role=listbox]') !== null) return
      event.preventDefault()
      stop()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isTurnRunning, stop])
}

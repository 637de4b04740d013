import { useEffect } from 'react'
import { isImeEvent } from '../../../page/client/keyboard.ts'

/** Esc stops the response, unless an open layer handles the key. */
export function useThreadKeys(options: { isTurnRunning: boolean; stop: () => void }): void {
  const { isTurnRunning, stop } = options
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

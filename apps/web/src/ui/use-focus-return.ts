import { useState } from 'react'

/**
 * Stores what had the focus when a layer opened, and restores it when the layer closes. For layers that open without a
 * trigger of their own; pass the result as `onCloseAutoFocus`.
 */
export function useFocusReturn(isOpen: boolean): (event: Event) => void {
  const [state, setState] = useState<{ isOpen: boolean; opener: Element | null }>({ isOpen: false, opener: null })
  if (state.isOpen !== isOpen) {
    setState({ isOpen, opener: isOpen ? document.activeElement : state.opener })
  }
  return (event) => {
    event.preventDefault()
    if (state.opener instanceof HTMLElement && state.opener.isConnected) state.opener.focus()
  }
}

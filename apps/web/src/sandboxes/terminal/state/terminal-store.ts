import { useCallback } from 'react'
import { rememberView, usePaneView } from '../../panes/state/pane-store.ts'
import { readTerminalView } from './terminal-view.logic.ts'

const pane = 'terminal'

/** The terminal of a thread that was in front last, and a function to select another. */
export function useChosenTerminal(threadId: string): [chosen: string | null, choose: (id: string | null) => void] {
  const { chosen } = readTerminalView(usePaneView(threadId, pane))
  const choose = useCallback((id: string | null) => rememberView(threadId, pane, { chosen: id }), [threadId])
  return [chosen, choose]
}

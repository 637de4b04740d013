import { useNarrow } from '../../../page/client/browser.ts'

export type { ShownPane } from './pane-memory.logic.ts'

import { type ShownPane, shownPane } from './pane-memory.logic.ts'
import { usePaneState } from './pane-store.ts'

/** The pane beside the page of a thread; null: another page. */
export function useShownPane(threadId: string | null): ShownPane | null {
  const { memories, visit } = usePaneState()
  return shownPane(memories, { threadId, visit, isNarrow: useNarrow() })
}

import type { LucideIcon } from 'lucide-react'
import { type ComponentType, createContext, useContext } from 'react'

/** The props of every pane. */
export type PaneProps = {
  threadId: string
  /** True if it covers the whole page. */
  isSheet: boolean
  isPinned: boolean
  /** Null: the default. */
  width: number | null
  onWidth: (width: number | null) => void
}

/** A pane that can be shown beside a conversation. `digit` is the key that opens it with ⌥. */
export type Pane = {
  name: string
  digit: number
  title: `${'preview' | 'files' | 'terminal' | 'sandbox' | 'git'}:title`
  Icon: LucideIcon
  Content: ComponentType<PaneProps>
}

const PanesContext = createContext<readonly Pane[]>([])
export const PanesProvider = PanesContext.Provider

/** The available panes, in the order of the toggles. */
export function usePanes(): readonly Pane[] {
  return useContext(PanesContext)
}

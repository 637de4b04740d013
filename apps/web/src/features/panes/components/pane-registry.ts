import { AppWindow, Box, Folder, GitCompare, type LucideIcon, SquareTerminal } from 'lucide-react'
import type { ComponentType } from 'react'
import { FilesPane } from '../../files/components/files-pane.tsx'
import { GitPane } from '../../git/components/git-pane.tsx'
import { PreviewPane } from '../../preview/components/preview-pane.tsx'
import { SandboxPane } from '../../sandbox/components/sandbox-pane.tsx'
import { TerminalPane } from '../../terminal/components/terminal-pane.tsx'

/** What every pane is told. */
export type PaneProps = {
  threadId: string
  /** It covers the whole page. */
  isSheet: boolean
  isPinned: boolean
  /** Null: the default. */
  width: number | null
  onWidth: (width: number | null) => void
}

/** What can stand beside a conversation, in the order of the toggles. `digit` is the key that opens it with ⌥. */
export const panes = {
  preview: { digit: 1, title: 'preview:title', Icon: AppWindow, Content: PreviewPane },
  files: { digit: 2, title: 'files:title', Icon: Folder, Content: FilesPane },
  terminal: { digit: 3, title: 'terminal:title', Icon: SquareTerminal, Content: TerminalPane },
  sandbox: { digit: 4, title: 'sandbox:title', Icon: Box, Content: SandboxPane },
  git: { digit: 5, title: 'git:title', Icon: GitCompare, Content: GitPane },
} as const satisfies Record<
  string,
  { digit: number; title: string; Icon: LucideIcon; Content: ComponentType<PaneProps> }
>
export type PaneName = keyof typeof panes
export const paneNames = Object.keys(panes) as PaneName[]

/** A remembered name may be of a pane that is no longer there. */
export function isPaneName(name: string): name is PaneName {
  return Object.hasOwn(panes, name)
}

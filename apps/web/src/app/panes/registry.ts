import { AppWindow, Box, Folder, GitCompare, SquareTerminal } from 'lucide-react'
import { FilesPane } from '../../sandboxes/files/components/files-pane.tsx'
import { GitPane } from '../../sandboxes/git/components/git-pane.tsx'
import type { Pane } from '../../sandboxes/panes/state/panes-context.ts'
import { PreviewPane } from '../../sandboxes/preview/components/preview-pane.tsx'
import { SandboxPane } from '../../sandboxes/sandbox/components/sandbox-pane.tsx'
import { TerminalPane } from '../../sandboxes/terminal/components/terminal-pane.tsx'

/** The panes that can be shown beside a conversation, in the order of the toggles. */
export const panes: readonly Pane[] = [
  { name: 'preview', digit: 1, title: 'preview:title', Icon: AppWindow, Content: PreviewPane },
  { name: 'files', digit: 2, title: 'files:title', Icon: Folder, Content: FilesPane },
  { name: 'terminal', digit: 3, title: 'terminal:title', Icon: SquareTerminal, Content: TerminalPane },
  { name: 'sandbox', digit: 4, title: 'sandbox:title', Icon: Box, Content: SandboxPane },
  { name: 'git', digit: 5, title: 'git:title', Icon: GitCompare, Content: GitPane },
]

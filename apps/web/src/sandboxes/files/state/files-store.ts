import { useCallback, useMemo } from 'react'
import { openPane, rememberView, usePaneView, viewOf } from '../../panes/state/pane-store.ts'
import { type FilesView, readFilesView, withFile } from './files-view.logic.ts'

const pane = 'files'

/** What the files pane of a thread showed last, and a function to change it. */
export function useFilesView(
  threadId: string,
): [view: FilesView, change: (update: (view: FilesView) => FilesView) => void] {
  const stored = usePaneView(threadId, pane)
  const view = useMemo(() => readFilesView(stored), [stored])
  const change = useCallback(
    (update: (view: FilesView) => FilesView) =>
      rememberView(threadId, pane, update(readFilesView(viewOf(threadId, pane)))),
    [threadId],
  )
  return [view, change]
}

/** Shows a file of the open thread, on request of the user. */
export function showFile(threadId: string, path: string): void {
  rememberView(threadId, pane, withFile(readFilesView(viewOf(threadId, pane)), path))
  openPane(pane)
}

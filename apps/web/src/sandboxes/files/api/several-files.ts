import { useMutation } from '@tanstack/react-query'
import { isInside, joinPath, nameOfPath, parentOf } from '../../../page/content/state/names.logic.ts'
import { type FilesView, withMoved } from '../state/files-view.logic.ts'
import { useFileActions } from './files.queries.ts'

type ChangeView = (update: (view: FilesView) => FilesView) => void

/**
 * Moves files and folders into a folder, one after another. Entries that exist there, and folders that would contain
 * themselves, are not moved.
 */
export function useMoveInto(threadId: string, onView: ChangeView) {
  const { move } = useFileActions(threadId)
  return useMutation({
    mutationFn: async ({ paths, folder }: { paths: readonly string[]; folder: string }) => {
      for (const path of paths) {
        if (parentOf(path) === folder || isInside(folder, path)) continue
        const to = joinPath(folder, nameOfPath(path))
        await move.mutateAsync({ from: path, to })
        onView((view) => withMoved(view, path, to))
      }
    },
  })
}

/** Removes files and folders, one after another. */
export function useRemoveAll(threadId: string, onView: ChangeView) {
  const { remove } = useFileActions(threadId)
  return useMutation({
    mutationFn: async (paths: readonly string[]) => {
      for (const path of paths) {
        await remove.mutateAsync(path)
        onView((view) => withMoved(view, path, null))
      }
    },
  })
}

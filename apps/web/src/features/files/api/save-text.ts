import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../../../app/client.ts'
import { queryKeys } from '../../../app/query-keys.ts'
import { type Edit, withLineEndsOf } from '../state/edits.ts'
import { parentOf } from '../state/names.models.ts'
import { renewFolder } from './files.queries.ts'

/** Writes a text over the version that is named; null: only where nothing is. */
export function useSaveText(threadId: string, path: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ edit, version }: { edit: Edit; version: string | null }) =>
      client.files.write(
        threadId,
        path,
        new Blob([withLineEndsOf(edit.text, edit.original)]),
        version === null ? { onlyIfNew: true } : { ifMatch: version },
      ),
    onSuccess: (entry) => {
      queryClient.setQueryData(queryKeys.fileEntry(threadId, path), entry)
      renewFolder(queryClient, threadId, parentOf(path))
    },
  })
}

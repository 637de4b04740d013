import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isThreadboxError, type ThreadboxClient } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { parentOf } from '../../../page/content/state/names.logic.ts'
import { type Edit, withLineEndsOf } from '../state/edits.ts'
import { textOf } from '../state/kinds.logic.ts'
import { renewFolder } from './files.queries.ts'

/** The current file that a save conflicts with. `text` is null if it isn’t text, or too large to show. */
export type SaveConflict = { version: string | null; text: string | null }

type Save = { edit: Edit; version: string | null }
export type SaveResult = { kind: 'saved' } | { kind: 'conflict'; conflict: SaveConflict }

/** Larger files are not fetched for comparison. */
const comparedBytes = 1024 * 1024

/**
 * Writes a text over the named version; null: only if the file doesn’t exist. A version can change without a write,
 * because the sandbox loses fractions of a second of file times. So a file that still has the text that the edit began
 * from doesn’t conflict.
 */
export function useSaveText(threadId: string, path: string) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ edit, version }: Save): Promise<SaveResult> => {
      const write = (over: string | null) =>
        client.files.write(
          threadId,
          path,
          new Blob([withLineEndsOf(edit.text, edit.original)]),
          over === null ? { onlyIfNew: true } : { ifMatch: over },
        )
      let over = version
      for (let attempt = 0; ; attempt += 1) {
        try {
          queryClient.setQueryData(queryKeys.fileEntry(threadId, path), await write(over))
          return { kind: 'saved' }
        } catch (error) {
          if (!isThreadboxError(error) || error.code !== 'file.changed') throw error
          const found = await readNow(client, { threadId, path })
          const isSame = found.version !== null && found.text === edit.original
          if (!isSame || attempt > 0) return { kind: 'conflict', conflict: found }
          over = found.version
        }
      }
    },
    onSuccess: () => renewFolder(queryClient, threadId, parentOf(path)),
  })
}

async function readNow(client: ThreadboxClient, at: { threadId: string; path: string }): Promise<SaveConflict> {
  try {
    const entry = await client.files.entry(at.threadId, at.path)
    if (entry.type !== 'file' || entry.sizeBytes > comparedBytes) return { version: entry.version, text: null }
    const response = await client.files.read(at.threadId, at.path)
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { version: response.headers.get('etag') ?? entry.version, text: textOf(bytes, true) }
  } catch (error) {
    if (isThreadboxError(error) && error.code === 'file.not-found') return { version: null, text: null }
    throw error
  }
}

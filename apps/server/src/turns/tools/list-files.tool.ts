import { isErrorOf } from '@threadbox/errors'
import { filesystem } from '@threadbox/protocol/guest'
import { z } from 'zod'
import { formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { guestResponseTooLarge } from '../../sandboxes/public.ts'
import { succeeded } from './outcomes.ts'
import { fileErrorOf, pathIn } from './sandbox-files.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  path: z.string().min(1).max(4096).optional().describe('Folder to list. Default: /home/user.'),
  depth: z.number().int().min(1).max(5).optional().describe('Number of levels to list. Default 1.'),
})

/** A longer list is of no use; the result says how many names are missing. */
const maxEntries = 500

/** Lists a folder. */
export const listFiles = defineTool({
  name: 'list_files',
  description:
    'Lists a folder: names, sizes, folders with a trailing slash, symbolic links with their target. At most 500 ' +
    'entries.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ path: given, depth }, context) => {
    const path = pathIn(given ?? '.')
    const { files } = context.sandbox
    const list = async (levels: number) => await files.listDir({ path, depth: levels }, { signal: context.signal })
    let isCut = false
    const { entries } = await list(depth ?? 1)
      .catch(async (error: unknown) => {
        if (!isErrorOf(guestResponseTooLarge, error) || depth === undefined || depth === 1) throw error
        isCut = true
        return await list(1)
      })
      .catch((error: unknown) => {
        throw fileErrorOf(error, path)
      })
    const lines = entries
      .map((entry) => ({ name: relativeTo(path, entry.path), entry }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, entry }) => lineOf(name, entry).slice(0, maxNameCharacters))
    const missing = lines.length - maxEntries
    const shown = lines.slice(0, maxEntries)
    const more = missing > 0 ? [`[${missing} more; list a subfolder or use search_files]`] : []
    const cut = isCut ? ['[the subfolders have too many entries to be listed together: one level is shown]'] : []
    const text = lines.length === 0 ? '(empty)' : [...shown, ...more, ...cut].join('\n')
    return succeeded({ kind: 'text', text, path }, `${path}:\n${text}`)
  },
})

/** Paths are shorter; the code of a sandbox can return longer ones. */
const maxNameCharacters = 4096

function lineOf(name: string, entry: filesystem.EntryInfo): string {
  if (entry.type === filesystem.FileType.DIRECTORY) return `${name}/`
  if (entry.symlinkTarget !== undefined) return `${name} -> ${entry.symlinkTarget}`
  return `${name}  ${formatBytes(Number(entry.size))}`
}

function relativeTo(folder: string, path: string): string {
  const prefix = folder === '/' ? '/' : `${folder}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

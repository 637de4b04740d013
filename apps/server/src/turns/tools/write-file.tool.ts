import { z } from 'zod'
import { writePlanned } from './planned-write.ts'
import { pathIn } from './sandbox-files.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  path: z.string().min(1).max(4096).describe('File path. Relative paths start at /home/user.'),
  content: z.string().describe('The full content of the file.'),
})

/** Writes a complete text file. */
export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a UTF-8 text file, replacing any existing file. Missing folders are created. The user sees the change as ' +
    'a diff. To change part of a file, use edit_file.',
  input,
  recovery: 'repeat',
  isWriting: true,
  run: ({ path, content }, context) => writePlanned(context, { path: pathIn(path), change: () => content }),
})

import { z } from 'zod'
import { fileNotFound } from '../../sandboxes/public.ts'
import { editedText } from './edit-text.logic.ts'
import { writePlanned } from './planned-write.ts'
import { pathIn } from './sandbox-files.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  path: z.string().min(1).max(4096).describe('File path. Relative paths start at /home/user.'),
  old_text: z.string().min(1).describe('Text to replace, exactly as it appears in the file. Must occur exactly once.'),
  new_text: z.string().describe('Replacement text.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence instead of requiring exactly one.'),
})

/** Replaces exact text in a file. */
export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces text in a UTF-8 text file. old_text must match the file exactly, including whitespace, and occur ' +
    'exactly once unless replace_all is set. The user sees the change as a diff. For a new file or a rewrite, use ' +
    'write_file.',
  input,
  recovery: 'repeat',
  isWriting: true,
  run: (call, context) => {
    const path = pathIn(call.path)
    return writePlanned(context, {
      path,
      change: (before) => {
        if (before === undefined) throw fileNotFound({ path })
        const isEverywhere = call.replace_all ?? false
        return editedText(before, { path, oldText: call.old_text, newText: call.new_text, isEverywhere })
      },
    })
  },
})

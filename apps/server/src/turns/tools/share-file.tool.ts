import { posix } from 'node:path'
import { z } from 'zod'
import { formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { mediaTypeOf } from '../../platform/texts/media-type.logic.ts'
import { resultBlob } from '../../threads/public.ts'
import { succeeded } from './outcomes.ts'
import { pathIn } from './sandbox-files.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  path: z.string().min(1).max(4096).describe('File path. Relative paths start at /home/user.'),
  caption: z.string().max(500).optional().describe('One line that describes the file.'),
})

/** Shares a file with the user: a copy that stays when the sandbox is deleted. */
export const shareFile = defineTool({
  name: 'share_file',
  description:
    'Gives the user a file as a card to open or download. The card keeps a copy of the file as it is now; share it ' +
    'again after changes. Pack a folder into an archive first.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ path: given, caption }, context) => {
    const path = pathIn(given)
    const { key, url } = resultBlob(context.call, 'file')
    const { stream } = await context.sandbox.download(path, context.signal)
    const { sizeBytes } = await context.blobs.put(key, stream)
    const name = posix.basename(path)
    const mediaType = mediaTypeOf(name)
    const result = { kind: 'file' as const, path, name, mediaType, sizeBytes, url, caption: caption ?? null }
    return succeeded(result, `Shared ${name} (${formatBytes(sizeBytes)}) with the user.`)
  },
})

import { z } from 'zod'
import { formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { imageTypeOf } from '../../platform/texts/media-type.logic.ts'
import { resultBlob } from '../../threads/public.ts'
import { succeeded } from './outcomes.ts'
import { pathIn, readBytes } from './sandbox-files.ts'
import { defineTool } from './tool.ts'
import { imageNotShown } from './tools.errors.ts'

const input = z.object({
  path: z
    .string()
    .min(1)
    .max(4096)
    .describe('Path of a PNG, JPEG, GIF or WebP file. Relative paths start at /home/user.'),
})

/** Every provider with vision accepts images of 4 MiB; base64 makes them larger. */
const maxImageBytes = 4 * 1024 * 1024

/** Shows an image to the model and to the user. */
export const viewImage = defineTool({
  name: 'view_image',
  description: 'Shows you an image from the sandbox (PNG, JPEG, GIF or WebP, at most 4 MiB). The user sees it too.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ path: given }, context) => {
    const path = pathIn(given)
    const { bytes, isWhole } = await readBytes(context.sandbox, {
      path,
      limitBytes: maxImageBytes,
      signal: context.signal,
    })
    if (!isWhole) throw imageNotShown({ path, problem: 'it is larger than 4 MiB.' })
    const mediaType = imageTypeOf(bytes)
    if (mediaType === undefined) throw imageNotShown({ path, problem: 'it is not a PNG, JPEG, GIF or WebP file.' })
    const { key, url } = resultBlob(context.call, 'image')
    await context.blobs.put(key, bytes)
    const result = { kind: 'image' as const, path, mediaType, sizeBytes: bytes.length, url }
    return succeeded(result, `${path} (${mediaType}, ${formatBytes(bytes.length)})`, { key, mediaType })
  },
})

import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { type PathBase, resolvePath } from './file-entries.ts'
import { uploadInvalid, withFileErrors } from './file-errors.ts'
import { readMultipart } from './multipart.ts'
import { openUploadTarget } from './upload-target.ts'

/** The shape that E2B's clients expect, without further keys. */
export type UploadedFile = { path: string; name: string; type: 'file' }

/**
 * `POST /files`: writes the body, or each part called "file", as it arrives. `isExecutable`: users that can read the
 * new file can also run it.
 */
export async function receiveUpload(
  request: IncomingMessage,
  options: { path: string | null; base: PathBase; isExecutable: boolean },
): Promise<UploadedFile[]> {
  const { isExecutable } = options
  const contentType = request.headers['content-type'] ?? ''
  const body = decodedBody(request)
  if (!/^multipart\/form-data/i.test(contentType)) {
    if (options.path === null) throw uploadInvalid({ problem: 'the path is missing' })
    return [await writeFileFrom({ path: resolvePath(options.path, options.base), content: body, isExecutable })]
  }
  const written: UploadedFile[] = []
  for await (const part of readMultipart({ contentType, body })) {
    const path = options.path ?? part.filename
    if (part.name !== 'file') {
      for await (const _ignored of part.content);
      continue
    }
    if (path === undefined) throw uploadInvalid({ problem: 'a part has neither path nor file name' })
    written.push(await writeFileFrom({ path: resolvePath(path, options.base), content: part.content, isExecutable }))
  }
  if (written.length === 0) throw uploadInvalid({ problem: 'no part is named “file”' })
  return written
}

function decodedBody(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return request
  if (encoding !== 'gzip') throw uploadInvalid({ problem: `the encoding ${encoding} is not known` })
  const unzip = createGunzip()
  request.on('error', (error) => unzip.destroy(error))
  return request.pipe(unzip)
}

async function writeFileFrom(options: {
  path: string
  content: AsyncIterable<Buffer>
  isExecutable: boolean
}): Promise<UploadedFile> {
  const { path } = options
  await withFileErrors(path, async () => {
    const target = await openUploadTarget(path)
    try {
      for await (const chunk of options.content) {
        for (let written = 0; written < chunk.length; ) {
          written += (await target.handle.write(chunk, written)).bytesWritten
        }
      }
      if (options.isExecutable) {
        const { mode } = await target.handle.stat()
        await target.handle.chmod((mode | ((mode & 0o444) >> 2)) & 0o7777)
      }
      await target.commit()
    } catch (error) {
      await target.discard().catch(() => undefined)
      throw error
    }
  })
  return { path, name: basename(path), type: 'file' }
}

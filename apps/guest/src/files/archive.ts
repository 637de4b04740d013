import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathInvalid, withFileErrors } from './file-errors.ts'
import { type ZipEntry, zipStream } from './zip-stream.ts'

/** Few large reads: each of them costs a sandbox more than a copy of its bytes. */
const readBytes = 1024 * 1024

/**
 * `GET /files/archive`: a directory as a ZIP, made while it is sent. Symbolic links are packed as links and never
 * followed; pipes, sockets and devices are left out, and so is what the user may not read.
 */
export async function sendArchive(options: { response: ServerResponse; path: string }) {
  const { response, path } = options
  const stats = await withFileErrors(path, () => lstat(path))
  if (!stats.isDirectory()) throw pathInvalid({ path, problem: 'it is not a directory' })
  await withFileErrors(path, () => readdir(path))
  const name = encodeURIComponent((basename(path) || 'root').toWellFormed())
  response.writeHead(200, {
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename*=UTF-8''${name}.zip`,
  })
  await pipeline(Readable.from(zipStream(entriesBelow(Buffer.from(path), Buffer.alloc(0)))), response)
}

async function* entriesBelow(directory: Buffer, prefix: Buffer): AsyncGenerator<ZipEntry> {
  const names = await readdir(directory, { encoding: 'buffer' }).catch(() => [])
  for (const name of names.sort(Buffer.compare)) {
    const path = Buffer.concat([directory, Buffer.from('/'), name])
    const packedName = Buffer.concat([prefix, name])
    const stats = await lstat(path).catch(() => undefined)
    if (stats === undefined) continue
    const common = { name: packedName, mode: stats.mode, modifiedAt: stats.mtime, size: stats.size }
    if (stats.isDirectory()) {
      const inside = Buffer.concat([packedName, Buffer.from('/')])
      yield { ...common, name: inside, size: 0, content: Buffer.alloc(0) }
      yield* entriesBelow(path, inside)
    } else if (stats.isSymbolicLink()) {
      const target = await readlink(path, { encoding: 'buffer' }).catch(() => undefined)
      if (target !== undefined) yield { ...common, content: target }
    } else if (stats.isFile()) {
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
        () => undefined,
      )
      if (handle === undefined) continue
      try {
        yield { ...common, content: contentOf(handle, stats.size) }
      } finally {
        await handle.close()
      }
    }
  }
}

async function* contentOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const buffer = Buffer.allocUnsafe(Math.min(left, readBytes))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
    if (bytesRead === 0) return
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

import { constants } from 'node:fs'
import { lstat, open, readdir, readlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { basename, posix } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { contentOfFile, type ZipEntry, zipStream } from '@threadbox/protocol/archive'
import { pathInvalid, withFileErrors } from './file-errors.ts'

/**
 * `GET /files/archive`: a directory as a ZIP, made while it is sent. Symbolic links are packed as links and never
 * followed; pipes, sockets, devices and what the user cannot read are left out. With `only` it contains these paths
 * below the directory and nothing else; a missing one is left out.
 */
export async function sendArchive(options: { response: ServerResponse; path: string; only: readonly string[] }) {
  const { response, path, only } = options
  const stats = await withFileErrors(path, () => lstat(path))
  if (!stats.isDirectory()) throw pathInvalid({ path, problem: 'it is not a directory' })
  await withFileErrors(path, () => readdir(path))
  const name = encodeURIComponent((basename(path) || 'root').toWellFormed())
  response.writeHead(200, {
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename*=UTF-8''${name}.zip`,
  })
  const directory = Buffer.from(path)
  const entries = only.length === 0 ? entriesBelow(directory, Buffer.alloc(0)) : entriesOf(directory, only)
  await pipeline(Readable.from(zipStream(entries)), response)
}

async function* entriesOf(directory: Buffer, paths: readonly string[]): AsyncGenerator<ZipEntry> {
  for (const path of paths) {
    const packedName = Buffer.from(posix.join('/', path).slice(1))
    if (packedName.length > 0) yield* entryAt(Buffer.concat([directory, Buffer.from('/'), packedName]), packedName)
  }
}

async function* entriesBelow(directory: Buffer, prefix: Buffer): AsyncGenerator<ZipEntry> {
  const names = await readdir(directory, { encoding: 'buffer' }).catch(() => [])
  for (const name of names.sort(Buffer.compare)) {
    yield* entryAt(Buffer.concat([directory, Buffer.from('/'), name]), Buffer.concat([prefix, name]))
  }
}

/** A file or link, or a directory with everything below it. */
async function* entryAt(path: Buffer, packedName: Buffer): AsyncGenerator<ZipEntry> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return
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
    if (handle === undefined) return
    try {
      yield { ...common, content: contentOfFile(handle, stats.size) }
    } finally {
      await handle.close()
    }
  }
}

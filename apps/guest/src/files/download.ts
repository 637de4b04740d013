import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pathInvalid, pathIsDirectory, rangeInvalid, withFileErrors } from './file-errors.ts'

/** Compressing larger files costs more than it saves between sandbox and host. */
const gzipLimitBytes = 4 * 1024 * 1024

/** `GET /files`: the bytes of a regular file, or a range of them. */
export async function sendFile(request: IncomingMessage, options: { response: ServerResponse; path: string }) {
  const { response, path } = options
  // Opening a named pipe or a device must neither block nor have an effect.
  const handle = await withFileErrors(path, () => open(path, constants.O_RDONLY | constants.O_NONBLOCK))
  try {
    const stats = await handle.stat()
    if (stats.isDirectory()) throw pathIsDirectory({ path })
    if (!stats.isFile()) throw pathInvalid({ path, problem: 'it is not a regular file' })
    await sendContent(request, { response, path, handle, stats })
  } finally {
    await handle.close()
  }
}

async function sendContent(
  request: IncomingMessage,
  options: { response: ServerResponse; path: string; handle: FileHandle; stats: Stats },
) {
  const { response, path, handle, stats } = options
  const range = parseRange({ header: request.headers.range, size: stats.size })
  if (range === 'outside') throw rangeInvalid({ path })
  response.setHeader('content-type', 'application/octet-stream')
  response.setHeader(
    'content-disposition',
    `inline; filename*=UTF-8''${encodeURIComponent(basename(path).toWellFormed())}`,
  )
  response.setHeader('last-modified', stats.mtime.toUTCString())
  response.setHeader('accept-ranges', 'bytes')
  // Files in /proc report a size of 0; they are sent until a read returns nothing.
  if (stats.size === 0) {
    const content = await handle.readFile()
    response.setHeader('content-length', content.length)
    response.end(content)
    return
  }
  const { start, end } = range ?? { start: 0, end: stats.size - 1 }
  const content = handle.createReadStream({ start, end, autoClose: false, highWaterMark: 256 * 1024 })
  if (range !== undefined) {
    response.statusCode = 206
    response.setHeader('content-range', `bytes ${start}-${end}/${stats.size}`)
  }
  const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (range === undefined && acceptsGzip && stats.size <= gzipLimitBytes) {
    response.setHeader('content-encoding', 'gzip')
    response.setHeader('vary', 'accept-encoding')
    await pipeline(content, createGzip({ level: 1 }), response)
    return
  }
  response.setHeader('content-length', end - start + 1)
  await pipeline(content, response)
}

/** Returns undefined for the whole file, also for ranges that cannot be parsed. */
function parseRange(options: {
  header: string | undefined
  size: number
}): { start: number; end: number } | 'outside' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(options.header ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const last = options.size - 1
  const start = match[1] === '' ? Math.max(0, options.size - Number(match[2])) : Number(match[1])
  const end = match[1] === '' || match[2] === '' ? last : Math.min(Number(match[2]), last)
  return start > end || start > last ? 'outside' : { start, end }
}

import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { isThreadboxError } from '@threadbox/errors'
import { type Program, startProgram } from '../../machine/programs/start-program.ts'
import { diskNotPacked, diskNotUnpacked, diskTooLarge } from './environments.errors.ts'
import type { PackerOrder } from './pack-disk/main.ts'

/** A client that accepts, or sends, nothing for this long loses its turn to others. */
const stallMs = 60_000
/** For what is stored as it is sent. */
const storedLevel = 3
/** Zstd’s fast levels are negative: as much as it takes to skip what repeats, for a reader that compresses it again. */
export const passedOnLevel = -7
/**
 * A disk counts compressed data by its compressed size, this limit by its real size. A bomb is a thousand times larger.
 */
const unpackedPerDisk = 4

/**
 * Streams how a disk differs from its image, as `diskHeadSchema` says, compressed by this level of zstd. Fails at its end if it is
 * incomplete.
 */
export async function* packDisk(root: string, order: PackerOrder, level = storedLevel): AsyncGenerator<Buffer> {
  const packer = startProgram('pack-disk', { directory: root })
  packer.stdin.end(JSON.stringify(order))
  const params = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: level }
  const compressed = createZstdCompress({ params })
  const fed = pipeline(outputOf(packer), compressed)
  fed.catch(() => undefined)
  using progress = watch(packer)
  try {
    for await (const part of compressed as AsyncIterable<Buffer>) {
      yield part
      progress.seen()
    }
    await fed
  } finally {
    packer.kill('SIGKILL')
  }
}

/**
 * Applies the output of {@link packDisk} to a fresh copy of an image. If it fails, a part of it can exist; the bytes
 * are left open.
 */
export async function unpackDisk(
  root: string,
  { bytes, limitBytes }: { bytes: Readable; limitBytes: number },
): Promise<void> {
  const unpacker = startProgram('unpack-disk', { directory: root })
  using progress = watch(unpacker)
  let sizeBytes = 0
  async function* counted(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of parts) {
      progress.seen()
      sizeBytes += part.length
      if (sizeBytes > limitBytes * unpackedPerDisk) throw diskTooLarge({ limitBytes })
      yield part
    }
  }
  const ended = endOf(unpacker)
  const failure = await pipeline(
    bytes.iterator({ destroyOnReturn: false }),
    createZstdDecompress(),
    counted,
    unpacker.stdin,
  ).then(
    () => undefined,
    (error: unknown) => error,
  )
  // The unpacker can take the part that it received for a whole disk.
  if (failure !== undefined && (failure as NodeJS.ErrnoException).code !== 'EPIPE') unpacker.kill('SIGKILL')
  const { code, problem } = await ended
  if (isThreadboxError(failure)) throw failure
  if (code !== null && code !== 0) throw diskNotUnpacked({ problem })
  if (failure !== undefined) throw diskNotUnpacked({ problem: String(failure) }, { cause: failure })
  if (code === null) throw diskNotUnpacked({ problem: 'it came to a halt.' })
}

async function endOf(worker: Program): Promise<{ code: number | null; problem: string }> {
  const [[code], problem] = await Promise.all([once(worker, 'exit') as Promise<[number | null]>, text(worker.stderr)])
  return { code, problem: problem.slice(-2000) }
}

async function* outputOf(worker: Program): AsyncGenerator<Buffer> {
  const ended = endOf(worker)
  yield* worker.stdout as AsyncIterable<Buffer>
  const { code, problem } = await ended
  if (code !== 0) throw diskNotPacked({ problem })
}

/** Ends a worker that shows no progress. */
function watch(worker: Program): Disposable & { seen: () => void } {
  let isSeen = true
  const timer = setInterval(() => {
    if (!isSeen) worker.kill('SIGKILL')
    isSeen = false
  }, stallMs)
  const seen = () => {
    isSeen = true
  }
  return { seen, [Symbol.dispose]: () => clearInterval(timer) }
}

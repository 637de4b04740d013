import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { timed } from '../figure.ts'

const run = promisify(execFile)

/** What copying a disk costs at least: its difference from the base image through `btrfs send` and `zstd` into a file, and back. */
export type RawCopy = AsyncDisposable & {
  outMs(): Promise<number>
  /** What changed since the last {@link RawCopy.outMs}. */
  changeMs(): Promise<number>
  /** Of the last {@link RawCopy.outMs}. */
  backMs(): Promise<number>
}

/** Of the sandbox’s disk in which a file of this name lies; a copy of it is read, as the product does. */
export async function makeRawCopy({
  diskDirectory,
  fileName,
}: {
  diskDirectory: string
  fileName: string
}): Promise<RawCopy> {
  const pool = path.join(diskDirectory, 'pool')
  const work = await mkdtemp(path.join(tmpdir(), 'raw-copy-'))
  const folder = path.join(pool, `raw-${randomUUID()}`)
  await mkdir(folder)
  const subvolumes: string[] = []
  const snapshot = async (of: string) => {
    const copy = path.join(folder, `${subvolumes.length}`)
    await run('btrfs', ['subvolume', 'snapshot', '-r', of, copy])
    subvolumes.push(copy)
    return copy
  }
  const image = (await readdir(path.join(pool, 'images')))[0] ?? ''
  const base = await snapshot(path.join(pool, 'images', image, 'root'))
  const stream = path.join(work, 'stream.zst')
  const send = async (parent: string, copy: string, to: string) =>
    await run('sh', ['-c', 'btrfs send -q -p "$1" "$2" | zstd -q -T1 -f -o "$3"', 'sh', parent, copy, to])
  let last = base
  return {
    outMs: async () => {
      const disk = await volumeWith(pool, fileName)
      return await timed(async () => {
        last = await snapshot(disk)
        await send(base, last, stream)
      })
    },
    changeMs: async () => {
      const disk = await volumeWith(pool, fileName)
      return await timed(async () => {
        const copy = await snapshot(disk)
        await send(last, copy, path.join(work, 'change.zst'))
      })
    },
    backMs: async () => {
      const back = path.join(folder, `back-${subvolumes.length}`)
      await mkdir(back)
      subvolumes.push(path.join(back, path.basename(last)))
      return await timed(() => run('sh', ['-c', 'zstd -q -d -c "$1" | btrfs receive -q "$2"', 'sh', stream, back]))
    },
    [Symbol.asyncDispose]: async () => {
      for (const subvolume of subvolumes) await run('btrfs', ['subvolume', 'delete', subvolume])
      await rm(folder, { recursive: true, force: true })
      await rm(work, { recursive: true, force: true })
    },
  }
}

/** The subvolume that has the file. */
async function volumeWith(pool: string, fileName: string): Promise<string> {
  const { stdout } = await run('find', [pool, '-name', fileName, '-not', '-path', '*/raw-*', '-print', '-quit'])
  for (let folder = path.dirname(stdout.trim()); folder.startsWith(pool); folder = path.dirname(folder)) {
    const isVolume = await run('btrfs', ['subvolume', 'show', folder]).then(
      () => true,
      () => false,
    )
    if (isVolume) return folder
  }
  throw new Error(`no disk below ${pool} has the file ${fileName}`)
}

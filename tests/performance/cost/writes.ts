import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

const bytesPerSector = 512

/** Bytes that were written to the block device behind a directory, since the machine started; null if there is none. */
export async function writtenBytes(directory: string): Promise<number | null> {
  const device = await deviceOf(directory)
  const stat = device && (await readFile(`/sys/class/block/${device}/stat`, 'utf8').catch(() => undefined))
  if (!stat) return null
  return Number(stat.trim().split(/\s+/)[6]) * bytesPerSector
}

/** Transactions that the btrfs behind a directory has committed since it was mounted. */
export async function poolCommits(directory: string): Promise<number> {
  const device = await deviceOf(directory)
  const root = '/sys/fs/btrfs'
  for (const fileSystem of await readdir(root)) {
    const devices = await readdir(path.join(root, fileSystem, 'devices')).catch((): string[] => [])
    if (device === undefined || !devices.includes(device)) continue
    const stats = await readFile(path.join(root, fileSystem, 'commit_stats'), 'utf8')
    return Number(/^commits (\d+)$/m.exec(stats)?.[1])
  }
  throw new Error(`${directory} is on no btrfs`)
}

/**
 * Transactions that were committed to an SQLite database in WAL mode: the counter `iChange` in the header of its index,
 * https://sqlite.org/walformat.html#the_wal_index_header.
 */
export async function databaseCommits(file: string): Promise<number> {
  const header = await readFile(`${file}-shm`)
  return header.readUInt32LE(8)
}

/** The name of the device of the innermost mount that contains a directory. */
async function deviceOf(directory: string): Promise<string | undefined> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).trimEnd().split('\n')
  const containing = mounts
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ')
      return { point: before.split(' ')[4] ?? '', source: after.split(' ')[1] ?? '' }
    })
    .filter(({ point }) => `${directory}/`.startsWith(point === '/' ? '/' : `${point}/`))
  // Of two at the same place, the later one is seen.
  const innermost = containing.toSorted((one, other) => one.point.length - other.point.length).at(-1)
  return innermost?.source.startsWith('/dev/') === true ? path.basename(innermost.source) : undefined
}

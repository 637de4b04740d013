import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { contentOfFile, type ZipEntry } from '@threadbox/protocol/archive'

/**
 * Entries of a zip of the current directory, or of only these paths below it (a JSON list). Like the sandbox's own zip:
 * links are packed as links; pipes, devices, what the user cannot read and what does not exist are left out.
 * Each folder is opened in the one above it and read through its descriptor, so that a name that becomes a link in the
 * meantime does not lead out of the tree.
 */
export async function* archiveEntries(only: string): AsyncGenerator<ZipEntry> {
  const paths = pathsOf(only)
  const root = openFolder(Buffer.from('.'))
  if (root === undefined) return
  try {
    if (paths.length === 0) yield* entriesBelow(root, Buffer.alloc(0))
    for (const path of paths) yield* entryBelow(root, { parts: path, above: Buffer.alloc(0) })
  } finally {
    closeSync(root)
  }
}

/** Lists of steps; a path with `..` matches nothing. */
function pathsOf(only: string): string[][] {
  const paths: unknown = JSON.parse(only)
  if (!Array.isArray(paths)) return []
  return paths
    .filter((path) => typeof path === 'string')
    .map((path) => path.split('/').filter((part) => part !== '' && part !== '.'))
    .filter((parts) => parts.length > 0 && !parts.includes('..'))
}

async function* entryBelow(
  folder: number,
  { parts, above }: { parts: readonly string[]; above: Buffer },
): AsyncGenerator<ZipEntry> {
  const [first = '', ...rest] = parts
  const name = Buffer.from(first)
  if (rest.length === 0) return yield* entryAt(folder, { name, above })
  const inside = openFolder(inFolder(folder, name))
  if (inside === undefined) return
  try {
    yield* entryBelow(inside, { parts: rest, above: Buffer.concat([above, name, slash]) })
  } finally {
    closeSync(inside)
  }
}

async function* entriesBelow(folder: number, above: Buffer): AsyncGenerator<ZipEntry> {
  const names = readdirSync(`/proc/self/fd/${folder}`, { encoding: 'buffer' }).sort(Buffer.compare)
  for (const name of names) yield* entryAt(folder, { name, above })
}

async function* entryAt(folder: number, { name, above }: { name: Buffer; above: Buffer }): AsyncGenerator<ZipEntry> {
  const path = inFolder(folder, name)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  const packedName = Buffer.concat([above, name])
  const common = { name: packedName, mode: stats.mode, modifiedAt: stats.mtime, size: stats.size }
  if (stats.isDirectory()) {
    const insideName = Buffer.concat([packedName, slash])
    yield { ...common, name: insideName, size: 0, content: Buffer.alloc(0) }
    const inside = openFolder(path)
    if (inside === undefined) return
    try {
      yield* entriesBelow(inside, insideName)
    } finally {
      closeSync(inside)
    }
  } else if (stats.isSymbolicLink()) {
    yield { ...common, content: readlinkSync(path, { encoding: 'buffer' }) }
  } else if (stats.isFile()) {
    yield* fileAt(path, common)
  }
}

async function* fileAt(path: Buffer, common: Omit<ZipEntry, 'content'>): AsyncGenerator<ZipEntry> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(leaveOutOrThrow)
  if (file === undefined) return
  try {
    if ((await file.stat()).isFile()) yield { ...common, content: contentOfFile(file, common.size) }
  } finally {
    await file.close()
  }
}

const slash = Buffer.from('/')

/** Path of a name in an open folder: the folder is the one that was opened, no matter what its name refers to now. */
function inFolder(folder: number, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), name])
}

function openFolder(path: Buffer): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    return leaveOutOrThrow(error)
  }
}

/** Leaves out what the user cannot read and what has changed its kind; faults of the machine end the zip. */
function leaveOutOrThrow(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (['EACCES', 'EPERM', 'ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(code ?? '')) return undefined
  throw error
}

import { closeSync, constants, lstatSync, openSync, readdirSync, rmdirSync, type Stats, unlinkSync } from 'node:fs'

/** An entry of the tree. `at` leads to it through the opened folder that it was found in, even if names change. */
export type TreeEntry = { path: string; at: Buffer; stats: Stats }

/** Deeper trees are not made by people, and each step holds a descriptor. */
const maxDepth = 500

/**
 * Yields everything below the current directory, each folder before its content. Does not follow links. `enters`
 * decides for each folder whether its content is read.
 */
export function* entriesOfTree(enters: (entry: TreeEntry) => boolean): Generator<TreeEntry> {
  const root = openFolder(Buffer.from('.'))
  if (root === undefined) return
  try {
    yield* entriesBelow(root, { above: '', depth: 0, enters })
  } finally {
    closeSync(root)
  }
}

function* entriesBelow(
  folder: number,
  where: { above: string; depth: number; enters: (entry: TreeEntry) => boolean },
): Generator<TreeEntry> {
  for (const name of namesIn(folder)) {
    const at = inFolder(folder, name)
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) continue
    const entry = { path: where.above + name.toString('latin1'), at, stats }
    yield entry
    if (!stats.isDirectory() || where.depth >= maxDepth || !where.enters(entry)) continue
    const inside = openFolder(at)
    if (inside === undefined) continue
    try {
      yield* entriesBelow(inside, { ...where, above: `${entry.path}/`, depth: where.depth + 1 })
    } finally {
      closeSync(inside)
    }
  }
}

/** Removes a file, or a folder with its content; of a link, the link itself. */
export function removeEntry(at: Buffer, stats: Stats): void {
  if (!stats.isDirectory()) {
    unlinkSync(at)
    return
  }
  const inside = openFolder(at)
  if (inside === undefined) return
  try {
    for (const name of namesIn(inside)) {
      const below = inFolder(inside, name)
      const found = lstatSync(below, { throwIfNoEntry: false })
      if (found !== undefined) removeEntry(below, found)
    }
  } finally {
    closeSync(inside)
  }
  rmdirSync(at)
}

/**
 * Removes what is at a path below the current directory, each part of which has to be a real folder; does nothing if it
 * is already gone. Names are latin1.
 */
export function removeBelow(parts: readonly string[]): void {
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) {
    throw new Error('a path in it leads elsewhere')
  }
  const folders = [openSync('.', constants.O_RDONLY | constants.O_DIRECTORY)]
  try {
    for (const part of parts.slice(0, -1)) {
      const inside = openFolder(inFolder(folders.at(-1) ?? -1, Buffer.from(part, 'latin1')))
      if (inside === undefined) return
      folders.push(inside)
    }
    const at = inFolder(folders.at(-1) ?? -1, Buffer.from(parts.at(-1) ?? '', 'latin1'))
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats !== undefined) removeEntry(at, stats)
  } finally {
    for (const folder of folders) closeSync(folder)
  }
}

/** Opens each regular file in it, or the file that it is, for reading and calls `inspect`. */
export function eachFileIn(at: Buffer, stats: Stats, inspect: (file: number) => void): void {
  const inside = stats.isDirectory() ? openFolder(at) : undefined
  const file = stats.isFile() ? openFile(at, 'read') : undefined
  try {
    if (file !== undefined) inspect(file)
    for (const name of inside === undefined ? [] : namesIn(inside)) {
      const below = inFolder(inside as number, name)
      const found = lstatSync(below, { throwIfNoEntry: false })
      if (found !== undefined) eachFileIn(below, found, inspect)
    }
  } finally {
    for (const opened of [inside, file]) if (opened !== undefined) closeSync(opened)
  }
}

/** Opens a regular file to read and to overwrite; returns undefined for everything else. */
export function openFile(at: Buffer, use: 'read' | 'change' = 'change'): number | undefined {
  const access = use === 'read' ? constants.O_RDONLY : constants.O_RDWR
  return openUnlessGone(at, access | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}

function openFolder(at: Buffer): number | undefined {
  return openUnlessGone(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

function openUnlessGone(at: Buffer, flags: number): number | undefined {
  try {
    return openSync(at, flags)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(code ?? '')) return undefined
    throw error
  }
}

function namesIn(folder: number): Buffer[] {
  return readdirSync(`/proc/self/fd/${folder}`, { encoding: 'buffer' }).sort(Buffer.compare)
}

/** The folder is the one that was opened, no matter what its name refers to now. */
function inFolder(folder: number, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), name])
}

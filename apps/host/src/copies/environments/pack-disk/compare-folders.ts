import { type BigIntStats, closeSync, constants, lstatSync, openSync, readdirSync } from 'node:fs'

/** Paths relative to the root, as latin1, so that each byte is kept. */
export type DiskDifference = { removed: string[]; packed: string[] }

/** Deeper trees are not made by people, and each step holds two descriptors. */
const maxDepth = 400

/**
 * Returns what turns an image into the disk. Sockets and devices hold nothing and are left out; pipes too, unless it
 * is to be whole. Then each folder with a change is packed, because replacing a file in it changes its time. Does not
 * follow links: each folder is opened in the one above it.
 */
export function differenceOf(
  roots: { disk: string; image: string | null },
  { isWhole }: { isWhole: boolean },
): DiskDifference {
  const found: Comparison = { removed: [], packed: isWhole ? ['.'] : [], isWhole }
  const disk = openFolder(Buffer.from(roots.disk))
  const image = roots.image === null ? undefined : openFolder(Buffer.from(roots.image))
  try {
    compareFolders(found, { disk, image, above: '', depth: 0 })
    const { removed, packed } = found
    return { removed, packed }
  } finally {
    for (const folder of [disk, image]) if (folder !== undefined) closeSync(folder)
  }
}

type Comparison = DiskDifference & { isWhole: boolean }
type Folders = { disk: number; image: number | undefined; above: string; depth: number }

function compareFolders(found: Comparison, folders: Folders): void {
  const { disk, image, above, depth } = folders
  if (depth > maxDepth) throw new Error(`the folders below ${above} are too deep`)
  const present = namesIn(disk)
  const original = image === undefined ? [] : namesIn(image)
  const here = new Set(present)
  for (const name of original) if (!here.has(name)) found.removed.push(above + name)
  const there = new Set(original)
  for (const name of present) {
    const stats = statIn(disk, name)
    const before = image !== undefined && there.has(name) ? statIn(image, name) : undefined
    const path = above + name
    if (before !== undefined && kindOf(before) !== kindOf(stats)) found.removed.push(path)
    const kind = kindOf(stats)
    if (kind === 'other' || (kind === 'pipe' && !found.isWhole)) continue
    const index = found.packed.length
    const isChanged = !isSame(stats, before)
    if (isChanged) found.packed.push(path)
    if (!stats.isDirectory()) continue
    const inside = openFolder(inFolder(disk, name))
    const insideImage = before?.isDirectory() && image !== undefined ? openFolder(inFolder(image, name)) : undefined
    try {
      compareFolders(found, { disk: inside, image: insideImage, above: `${path}/`, depth: depth + 1 })
      if (found.isWhole && !isChanged && found.packed.length > index) found.packed.splice(index, 0, path)
    } finally {
      for (const folder of [inside, insideImage]) if (folder !== undefined) closeSync(folder)
    }
  }
}

function kindOf(stats: BigIntStats): 'folder' | 'link' | 'pipe' | 'file' | 'other' {
  if (stats.isDirectory()) return 'folder'
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isFIFO()) return 'pipe'
  return stats.isFile() ? 'file' : 'other'
}

/** A copy of a disk keeps the inodes of its source, and every change of a file changes its ctime. */
function isSame(stats: BigIntStats, before: BigIntStats | undefined): boolean {
  return before !== undefined && before.ino === stats.ino && before.ctimeNs === stats.ctimeNs
}

function namesIn(folder: number): string[] {
  return readdirSync(`/proc/self/fd/${folder}`, { encoding: 'latin1' }).sort()
}

function statIn(folder: number, name: string): BigIntStats {
  return lstatSync(inFolder(folder, name), { bigint: true })
}

function openFolder(path: Buffer): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

function inFolder(folder: number, name: string): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), Buffer.from(name, 'latin1')])
}

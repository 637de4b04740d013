import type { Logger } from '@threadbox/telemetry'
import { btrfs } from './btrfs-commands.ts'
import type { DiskChanges, DiskNaming } from './disk-store.ts'
import { type FrozenEntry, type FrozenTrees, inspectNames } from './named-entries.ts'
import type { NamesOfStream } from './send-stream.ts'
import { compareEntries } from './tree-difference.logic.ts'

/**
 * From about 10,000 names on, listing both trees completely is as fast, and the time spent until then is lost. A stream
 * has two or three names for a created file.
 */
const mostEntries = 16_000
const mostLinkedFiles = 1000
const streamLimits = { commands: 200_000, names: 16_000, nameBytes: 16 * 1024 * 1024 }

type FrozenVolumes = { before: string; after: string }

/**
 * Returns what differs between two read-only volumes of one btrfs, at a cost that grows with it: the file system itself
 * lists with `btrfs send` which names were written to, and only those are inspected. The result is that of `compareTrees`
 * with `comparesInodes`. Undefined, with a line in the log: so much differs, or btrfs failed in such a way, that both
 * must be read completely.
 *
 * Why it is exact: let a name differ, and let all directories above it be the same ones at the same place in both. Then
 * the stream contains this very name, unless it is one of several names of a file that was written to, of which
 * the stream has one: the others are queried. If a directory above it is not the same one, the stream contains the
 * name of the first such directory, and that directory is inspected completely.
 */
export async function compareFrozen(
  { naming, ...volumes }: FrozenVolumes & { naming?: DiskNaming | undefined },
  logger: Logger,
): Promise<DiskChanges | undefined> {
  try {
    const names = await btrfs.namesOfDifferences({ ...volumes, limits: streamLimits })
    const trees = names === undefined ? undefined : await inspectAllNames(volumes, names)
    if (trees === undefined) logger.info(volumes, 'so much of a disk differs that it is read whole')
    return trees === undefined ? undefined : compareEntries(trees, naming)
  } catch (error) {
    logger.warn({ err: error, ...volumes }, 'what differs between two volumes is found by reading both whole')
    return undefined
  }
}

async function inspectAllNames(volumes: FrozenVolumes, names: NamesOfStream): Promise<FrozenTrees | undefined> {
  const trees = await inspectNames({ ...volumes, names, mostEntries })
  if (trees === undefined) return undefined
  const hidden = filesWithOtherNames(trees)
  const count = hidden.before.length + hidden.after.length
  if (count === 0) return trees
  if (count > mostLinkedFiles) return undefined
  const all = new Map(names)
  for (const side of ['before', 'after'] as const) {
    const others = await btrfs.namesOfFiles({ path: volumes[side], inodes: hidden[side] })
    for (const name of others) if (!all.has(name)) all.set(name, false)
  }
  const complete = await inspectNames({ ...volumes, names: all, mostEntries })
  if (complete === undefined) return undefined
  const missed = filesWithOtherNames(complete)
  return missed.before.length + missed.after.length === 0 ? complete : undefined
}

/** Inode numbers of the files that were written to and have, on that side, names that were not inspected. */
function filesWithOtherNames(trees: FrozenTrees): { before: bigint[]; after: bigint[] } {
  const [before, after] = [filesOf(trees.before), filesOf(trees.after)]
  const incomplete = (files: Files, others: Files) =>
    [...files.values()]
      .filter(({ entry, seen }) => seen < entry.names && others.get(entry.inode)?.entry.identity !== entry.identity)
      .map(({ entry }) => entry.inode)
  return { before: incomplete(before, after), after: incomplete(after, before) }
}

type Files = Map<bigint, { entry: FrozenEntry; seen: number }>

function filesOf(entries: ReadonlyMap<string, FrozenEntry>): Files {
  const files: Files = new Map()
  for (const entry of entries.values()) {
    if (entry.isDirectory || entry.names === 1n) continue
    const seen = files.get(entry.inode)?.seen ?? 0
    files.set(entry.inode, { entry, seen: seen + 1 })
  }
  return files
}

import { lstat, readdir } from 'node:fs/promises'
import type { NamesOfStream } from './send-stream.ts'
import type { Entry } from './tree-difference.logic.ts'

export type FrozenEntry = Entry & { inode: bigint; names: bigint }

/** What two trees have under the inspected names, and below them where that matters. */
export type FrozenTrees = Record<Side, Map<string, FrozenEntry>>

type Side = 'before' | 'after'
const sides = ['before', 'after'] as const

/** For all names together: a name of few bytes can be thousands of directories deep. */
const mostSteps = 500_000

/** How many names are inspected in parallel: each one waits for the disk. */
const inspectedInParallel = 64

/**
 * Inspects these names in two frozen trees without following links. A directory that is no longer the same one is
 * inspected completely, on each side that has it. Undefined: that would be more than `mostEntries`, or the names are
 * too deep.
 */
export async function inspectNames(options: {
  before: string
  after: string
  names: NamesOfStream
  mostEntries: number
}): Promise<FrozenTrees | undefined> {
  const found: FrozenTrees = { before: new Map(), after: new Map() }
  const inspect = async (inspection: Inspection): Promise<Inspection[]> => {
    const seen: Partial<Record<Side, FrozenEntry>> = {}
    for (const side of inspection.sides) {
      const entry = await entryAt(options[side], inspection.path)
      if (entry === undefined) continue
      found[side].set(inspection.path, entry)
      seen[side] = entry
    }
    return await below(options, { inspection, seen })
  }
  const part = partsOf(options.names)
  if (part === undefined) return undefined
  const top = await listOn(options, { path: '', where: sides })
  // Only temporary names that the stream invented are missing in both roots.
  let waiting = childrenOf({ path: '', part }).filter(({ path }) => top.has(path))
  while (waiting.length > 0) {
    if (found.before.size + found.after.size + waiting.length > options.mostEntries) return undefined
    const next = await Promise.all(waiting.splice(-inspectedInParallel).map(inspect))
    waiting = waiting.concat(next.flat())
  }
  return found
}

/** One path step of the names; `isMoved` as in {@link NamesOfStream}. */
type Part = { isMoved: boolean; below: Map<string, Part> }

/** `part` is undefined below a directory that is inspected completely. */
type Inspection = { path: string; sides: readonly Side[]; part: Part | undefined }

function partsOf(names: NamesOfStream): Part | undefined {
  const root: Part = { isMoved: false, below: new Map() }
  let steps = 0
  for (const [name, isMoved] of names) {
    if (name === '') continue
    let part = root
    const path = name.split('/')
    steps += path.length
    if (steps > mostSteps) return undefined
    for (const step of path) {
      const next = part.below.get(step) ?? { isMoved: false, below: new Map() }
      part.below.set(step, next)
      part = next
    }
    part.isMoved ||= isMoved
  }
  return root
}

function childrenOf({ path, part }: { path: string; part: Part }): Inspection[] {
  return [...part.below].map(([step, next]) => ({ path: join(path, step), sides, part: next }))
}

/** Both sides of an unmoved directory differ below it only in names of the stream. */
async function below(
  roots: Record<Side, string>,
  { inspection, seen }: { inspection: Inspection; seen: Partial<Record<Side, FrozenEntry>> },
): Promise<Inspection[]> {
  const { path, part } = inspection
  const directories = sides.filter((side) => seen[side]?.isDirectory === true)
  const stayed = directories.length === sides.length && seen.before?.inode === seen.after?.inode
  if (part !== undefined && stayed && !part.isMoved) return childrenOf({ path, part })
  const listed = await listOn(roots, { path, where: directories })
  return [...listed].map(([step, those]) => ({ path: join(path, step), sides: those, part: undefined }))
}

/** The entries of a directory and the sides that have them. */
async function listOn(
  roots: Record<Side, string>,
  { path, where }: { path: string; where: readonly Side[] },
): Promise<Map<string, Side[]>> {
  const listed = new Map<string, Side[]>()
  for (const side of where) {
    const steps = await readdir(bytesOf(`${latin1(roots[side])}/${path}`), { encoding: 'latin1' })
    for (const step of steps) listed.set(step, [...(listed.get(step) ?? []), side])
  }
  return listed
}

/**
 * Entries with the same inode number and change time have the same target too: the target of a symbolic link never
 * changes.
 */
async function entryAt(root: string, path: string): Promise<FrozenEntry | undefined> {
  const facts = await lstat(bytesOf(`${latin1(root)}/${path}`), { bigint: true }).catch(undefinedWhenAbsent)
  if (facts === undefined) return undefined
  const { mode, uid, gid, size, ino, ctimeNs, nlink } = facts
  const isDirectory = facts.isDirectory()
  // The size of a directory is internal to the file system.
  const identity = [mode, uid, gid, isDirectory ? '' : size, ino, ctimeNs].join(' ')
  return { isDirectory, identity, bytes: Number(size), inode: ino, names: nlink }
}

function join(path: string, step: string): string {
  return path === '' ? step : `${path}/${step}`
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function bytesOf(name: string): Buffer {
  return Buffer.from(name, 'latin1')
}

function undefinedWhenAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

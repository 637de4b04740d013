import type { DiskChanges, DiskFileSize } from './disk-store.ts'

/** More names than this tell a reader nothing. */
const mostNames = 1000

/** What is known of a name; equal identities: nothing was written to it. */
export type Entry = { isDirectory: boolean; identity: string; bytes: number }

/** Names byte for byte (as latin1), relative to the root of the tree: a name need not be UTF-8. */
export type Trees = { before: ReadonlyMap<string, Entry>; after: ReadonlyMap<string, Entry> }

/** What differs between two trees. Names that are the same in both may be left out of both. */
export function compareEntries(trees: Trees): DiskChanges {
  const [removed, changed, added]: [string[], string[], string[]] = [[], [], []]
  let isSame = true
  for (const [name, entry] of trees.before) {
    const now = trees.after.get(name)
    if (now?.identity === entry.identity) continue
    isSame = false
    if (now === undefined) removed.push(name)
    // A directory that lists other names is not news of its own: the names are.
    else if (!(now.isDirectory && entry.isDirectory)) changed.push(name)
  }
  for (const name of trees.after.keys()) if (!trees.before.has(name)) added.push(name)
  const shown = [removed, changed, added].map((names) => names.sort().slice(0, mostNames))
  return {
    isSame: isSame && added.length === 0,
    removed: (shown[0] ?? []).map(readable),
    changed: (shown[1] ?? []).map(readable),
    added: (shown[2] ?? []).map(readable),
    sizes: shown.flat().flatMap((name) => sizeOf(trees, name)),
    removedCount: removed.length,
    changedCount: changed.length,
    addedCount: added.length,
  }
}

function sizeOf(trees: Trees, name: string): DiskFileSize[] {
  const [before, after] = [trees.before.get(name), trees.after.get(name)]
  if ((before ?? after)?.isDirectory === true && after?.isDirectory !== false) return []
  return [{ name: readable(name), bytesBefore: bytesOf(before), bytesNow: bytesOf(after) }]
}

function bytesOf(entry: Entry | undefined): number | null {
  return entry === undefined || entry.isDirectory ? null : entry.bytes
}

function readable(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8')
}

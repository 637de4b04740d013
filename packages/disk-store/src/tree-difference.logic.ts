import type { DiskChanges, DiskFileSize, DiskFolderChanges, DiskNaming } from './disk-store.ts'

/** Limit for readability. */
const mostNames = 1000

/** The facts about a name; equal identities mean that nothing was written to it. */
export type Entry = { isDirectory: boolean; identity: string; bytes: number }

/** Names byte for byte (as latin1), relative to the root of the tree: a name need not be UTF-8. */
export type Trees = { before: ReadonlyMap<string, Entry>; after: ReadonlyMap<string, Entry> }

/** Lists every name, in alphabetical order. */
export const allNames: DiskNaming = { isLeftOut: () => false, folderOf: () => undefined, rankOf: () => 0 }

/** Returns what differs between two trees. Names that are the same in both can be omitted from both. */
export function compareEntries(trees: Trees, naming: DiskNaming = allNames): DiskChanges {
  const listed = makeNameList(naming)
  let isSame = true
  for (const [name, entry] of trees.before) {
    const now = trees.after.get(name)
    if (now?.identity === entry.identity) continue
    isSame = false
    if (now === undefined) listed.add('removed', name, entry)
    // A directory with other entries is not listed as changed: its entries are.
    else if (!(now.isDirectory && entry.isDirectory)) listed.add('changed', name, now)
  }
  for (const [name, entry] of trees.after) {
    if (trees.before.has(name)) continue
    isSame = false
    listed.add('added', name, entry)
  }
  const { removed, changed, added } = listed.names
  const shown = [removed, changed, added].map((names) => inOrder(names, naming).slice(0, mostNames))
  return {
    isSame,
    removed: (shown[0] ?? []).map(readable),
    changed: (shown[1] ?? []).map(readable),
    added: (shown[2] ?? []).map(readable),
    sizes: shown.flat().flatMap((name) => sizeOf(trees, name)),
    removedCount: removed.length,
    changedCount: changed.length,
    addedCount: added.length,
    folders: inOrder([...listed.folders.keys()], naming)
      .slice(0, mostNames)
      .flatMap((name) => listed.folders.get(name) ?? []),
  }
}

type Change = 'removed' | 'changed' | 'added'

function makeNameList({ isLeftOut, folderOf }: DiskNaming) {
  const names: Record<Change, string[]> = { removed: [], changed: [], added: [] }
  const folders = new Map<string, DiskFolderChanges>()
  return {
    names,
    folders,
    add: (change: Change, name: string, { isDirectory }: Entry) => {
      if (isLeftOut(name)) return
      const folder = folderOf(name)
      if (folder === undefined) return void names[change].push(name)
      if (isDirectory) return
      const counts = folders.get(folder) ?? { name: readable(folder), removedCount: 0, changedCount: 0, addedCount: 0 }
      counts[`${change}Count`] += 1
      folders.set(folder, counts)
    },
  }
}

function inOrder(names: string[], { rankOf }: DiskNaming): string[] {
  const ranks = new Map(names.map((name) => [name, rankOf(name)]))
  return names.sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0) || (one < other ? -1 : 1))
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

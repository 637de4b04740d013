import { dirname, join, normalize } from 'node:path'

/**
 * What each file of the repository uses, by what stands in quotes in it: imports, packages of the repository, and paths
 * of files and folders that it reads, starts or builds (a test that starts the server names the server's `main.ts`). It
 * may name too much, and then a test runs that need not.
 */
export type SourceGraph = {
  /** The files from which any of these can be reached, these among them. */
  reaching(files: readonly string[]): Set<string>
}

type Sources = {
  /** Paths from the root of the repository. */
  files: readonly string[]
  /** Of a file with source text; undefined for others. */
  textOf: (file: string) => string | undefined
  /** What a package of the repository exports, by the name that imports it. */
  exportsOf: ReadonlyMap<string, string>
}

/** Folders of so few parts hold everything, and who names one does not mean all of it. */
const fewestParts = 2

export function makeSourceGraph({ files, textOf, exportsOf }: Sources): SourceGraph {
  const known = new Set(files)
  const inFolder = filesByFolder(files)
  const usersOf = new Map<string, string[]>()
  for (const file of files) {
    for (const used of usedBy(file, textOf(file) ?? '')) {
      const users = usersOf.get(used)
      if (users === undefined) usersOf.set(used, [file])
      else users.push(file)
    }
  }

  function usedBy(file: string, text: string): Set<string> {
    const used = new Set<string>()
    for (const [, , quoted = ''] of text.matchAll(/(['"`])((?:\.|@|[a-z])[^'"`\n$]*)\1/gi)) {
      const exported = exportsOf.get(quoted)
      const beside = normalize(join(dirname(file), quoted))
      // A name alone may be any file's, also in a sandbox.
      const places = exported ? [exported] : quoted.includes('/') ? [beside, normalize(quoted)] : [beside]
      for (const place of places) {
        if (known.has(place)) used.add(place)
        const isFolder = place.split('/').length >= fewestParts && !place.startsWith('..') && place !== dirname(file)
        for (const inside of isFolder ? (inFolder.get(place) ?? []) : []) used.add(inside)
      }
    }
    return used
  }

  return {
    reaching: (changed) => {
      const reached = new Set(changed)
      const waiting = [...changed]
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        for (const user of usersOf.get(file) ?? []) {
          if (!reached.has(user)) waiting.push(user)
          reached.add(user)
        }
      }
      return reached
    },
  }
}

function filesByFolder(files: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const file of files) {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      const inside = folders.get(folder)
      if (inside === undefined) folders.set(folder, [file])
      else inside.push(file)
    }
  }
  return folders
}

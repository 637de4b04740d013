import { dirname, join, normalize } from 'node:path'

/**
 * What each file of the repository uses, by the quoted texts in it: imports, packages of the repository, and paths of
 * files and folders that it reads, starts or builds (a test that starts the server names the server’s `main.ts`). It
 * can include too much, and then an unnecessary test runs.
 */
export type SourceGraph = {
  /** The files from which any of these can be reached, including these. */
  reaching(files: readonly string[]): Set<string>
}

type Sources = {
  /** Paths from the root of the repository. */
  files: readonly string[]
  /** The text of a source file; undefined for other files. */
  textOf: (file: string) => string | undefined
  /** The exports of the repository’s packages, by import name. */
  exportsOf: ReadonlyMap<string, string>
}

/** Folders with fewer parts in their path contain everything, and a file that names one does not mean all of it. */
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
      // A name alone can be any file’s, including one in a sandbox.
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

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@threadbox/protocol/guest'

type MemoryFile = Manifest['memoryFiles'][number]

/** More than anybody shares between programs; a look at them stays quick. */
const maxFiles = 1000

/** The one directory that lives in memory and that anybody may write to. */
const directoryInMemory = '/dev/shm'

/** Regular files that a cold start has not. Throws when there are too many to look at. */
export function readMemoryFiles(): MemoryFile[] {
  const found: MemoryFile[] = []
  collect(directoryInMemory, found)
  return found
}

function collect(directory: string, found: MemoryFile[]): void {
  for (const name of namesIn(directory)) {
    const path = join(directory, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isDirectory()) collect(path, found)
    if (!facts?.isFile()) continue
    if (found.length === maxFiles) throw new Error(`there are more than ${maxFiles}`)
    found.push({ path, bytes: facts.size, changedAt: facts.mtimeMs })
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    // Removed meanwhile.
    return []
  }
}

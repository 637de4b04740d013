import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, threadboxDirectories } from '@threadbox/protocol/guest'

type MemoryFile = Manifest['memoryFiles'][number]

/** More than programs share in practice; reading them stays quick. */
const maxFiles = 1000

/** In memory. Every user can write to `/dev/shm`, root to all of it. */
const directoryInMemory = '/dev'
/** What is the runtime’s there, and a file system of terminals. */
const notUsers: ReadonlySet<string> = new Set([threadboxDirectories.scratch, '/dev/pts'])

/** Regular files that a cold start loses; undefined if there are too many to read. */
export function readMemoryFiles(): MemoryFile[] | undefined {
  const found: MemoryFile[] = []
  collect(directoryInMemory, found)
  return found.length > maxFiles ? undefined : found
}

/** Stops one file beyond the limit. */
function collect(directory: string, found: MemoryFile[]): void {
  for (const name of namesIn(directory)) {
    if (found.length > maxFiles) return
    const path = join(directory, name)
    if (notUsers.has(path)) continue
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isDirectory()) collect(path, found)
    if (!facts?.isFile()) continue
    found.push({ path, bytes: facts.size, changedAt: facts.mtimeMs })
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    // Removed since it was listed.
    return []
  }
}

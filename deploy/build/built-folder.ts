import { createHash } from 'node:crypto'
import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths of all files below a directory, in one order on every machine. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1)).sort()
}

/** Names a folder after its content: sixteen hex digits of a SHA-256 over the paths and contents of its files. */
export async function hashDirectory(directory: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of await filesBelow(directory))
    hash.update(`/${file}\0`).update(await readFile(join(directory, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Moves a folder that is named after its content: one that exists has the same, and stays. */
export async function moveUnlessPresent(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

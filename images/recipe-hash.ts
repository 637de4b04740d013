import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder whose content decides what the image is. */
export const recipeDirectory = join(import.meta.dirname, 'recipe')

/** Names an image: same recipe and processor, same name. Sixteen hex digits of a SHA-256 over paths and contents. */
export function recipeHash(options: { directory: string; architecture: string }): string {
  const hash = createHash('sha256').update(`architecture ${options.architecture}\n`)
  const files = readdirSync(options.directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of files) {
    const content = readFileSync(file)
    hash.update(`${file.slice(options.directory.length)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises'

const kept = 3

/**
 * Moves a log aside when it has grown over the limit: `x.log` → `x.log.1` → … `x.log.3`. The writing process holds the
 * file open in append mode, so the content is copied and the file emptied; lines written between the two are lost.
 */
export async function rotateLog(path: string, options: { limitBytes: number }): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= options.limitBytes) return
  await rm(`${path}.${kept}`, { force: true })
  for (let number = kept - 1; number >= 1; number--) {
    await rename(`${path}.${number}`, `${path}.${number + 1}`).catch(ignoreMissing)
  }
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

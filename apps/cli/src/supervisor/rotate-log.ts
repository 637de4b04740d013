import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises'
import type { Installation } from '../installation/data-directory.ts'

const kept = 3
const logLimitBytes = 20_000_000

/** Rotates every log of an installation that is larger than 20 MB. Returns the errors, by log. */
export async function rotateLogs(installation: Pick<Installation, 'log'>): Promise<{ log: string; error: string }[]> {
  const outcomes = await Promise.all(
    (['host', 'server', 'supervisor'] as const).map((name) => {
      const log = installation.log(name)
      return rotateLog(log, { limitBytes: logLimitBytes }).then(
        () => undefined,
        (error: unknown) => ({ log, error: String(error) }),
      )
    }),
  )
  return outcomes.filter((outcome) => outcome !== undefined)
}

/**
 * Moves a log aside when it is larger than the limit: `x.log` → `x.log.1` → … `x.log.3`. The writing process holds the
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

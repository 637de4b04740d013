import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestInstallation } from '../../stack/installation.ts'

const run = promisify(execFile)

/** Where a sandbox's memory or disk is on the pool. */
export function placeOf({ host }: TestInstallation, kind: 'memory' | 'disks', sandboxId: string): string {
  return path.join(host.diskDirectory, 'pool', kind, sandboxId)
}

/**
 * Which of these texts occur in files below a directory, by name; in memory images, which are not compressed, as in
 * disks.
 */
export async function foundIn(place: string, texts: Record<string, string>): Promise<string[]> {
  const patterns = Object.values(texts).flatMap((text) => ['-e', text])
  // Bytes are compared, not characters: an image has hundreds of megabytes.
  const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } }
  const lines = await run('grep', ['-rhoaF', '--devices=skip', ...patterns, place], options).then(
    ({ stdout }) => new Set(stdout.split('\n')),
    (error: { code: number }) => (error.code === 1 ? new Set<string>() : Promise.reject(error)),
  )
  return Object.entries(texts).flatMap(([name, text]) => (lines.has(text) ? [name] : []))
}

import { randomBytes } from 'node:crypto'
import { access, readdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { idInvalid } from './disk-store.errors.ts'

/** Returns a name under which an entry is built, and to which it is renamed before it is removed. */
export function hiddenName(id: string): string {
  return `.${id}~${randomBytes(6).toString('hex')}`
}

/**
 * Hides an entry before it is removed, so that an interrupted removal leaves no half of it, and returns its path. A full
 * btrfs still deletes, but doesn’t rename: there the entry keeps its name.
 */
export async function hideEntry(path: string): Promise<string> {
  const hidden = join(dirname(path), hiddenName(basename(path)))
  return rename(path, hidden).then(
    () => hidden,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error
      return path
    },
  )
}

/** The complete entries of a directory; none if the directory does not exist. */
export async function wholeNames(directory: string): Promise<string[]> {
  return (await namesIn(directory)).filter((name) => !name.startsWith('.')).sort()
}

/** The entries of a directory that are being built or removed. */
export async function hiddenNames(directory: string): Promise<string[]> {
  return (await namesIn(directory)).filter((name) => name.startsWith('.'))
}

export function checkId(id: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id)) throw idInvalid({ id })
  return id
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error) => undefinedWhenMissing(error) ?? false,
  )
}

export function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(undefinedWhenMissing)) ?? []
}

import { randomBytes } from 'node:crypto'
import { access, readdir } from 'node:fs/promises'
import { idInvalid } from './disk-store.errors.ts'

/** A name under which a thing is built, and to which it is renamed before it is removed. */
export function hiddenName(id: string): string {
  return `.${id}~${randomBytes(6).toString('hex')}`
}

/** What in a directory is whole; none when there is no such directory. */
export async function wholeNames(directory: string): Promise<string[]> {
  return (await namesIn(directory)).filter((name) => !name.startsWith('.')).sort()
}

/** What in a directory is being built or removed. */
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

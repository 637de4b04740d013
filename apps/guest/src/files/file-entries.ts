import type { Stats } from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { filesystem } from '@threadbox/protocol/guest'
import { pathInvalid, withFileErrors } from './file-errors.ts'

/** Where relative paths and `~` lead. */
export type PathBase = { home: string; workdir: string }

/** Absolute path of what a client named. No decision about rights is made by path: the operating system makes them. */
export function resolvePath(path: string, base: PathBase): string {
  if (path.includes('\0'))
    throw pathInvalid({ path: path.replaceAll('\0', '\\0'), problem: 'it contains a NUL character' })
  if (path === '~' || path.startsWith('~/')) return resolve(base.home, `.${path.slice(1)}`)
  return isAbsolute(path) ? resolve(path) : resolve(base.workdir, path)
}

/** What is at `path` itself; a symbolic link has type and mode of what it leads to, where there is something. */
export async function describeEntry(path: string): Promise<filesystem.EntryInfo> {
  const own = await withFileErrors(path, () => lstat(path))
  const isLink = own.isSymbolicLink()
  const shown = isLink ? await stat(path).catch(() => own) : own
  return create(filesystem.EntryInfoSchema, {
    name: basename(path),
    type: typeOf(shown),
    path,
    size: BigInt(shown.size),
    mode: shown.mode & 0o7777,
    permissions: permissionsText(shown),
    owner: (await names('/etc/passwd')).get(own.uid) ?? String(own.uid),
    group: (await names('/etc/group')).get(own.gid) ?? String(own.gid),
    modifiedTime: timestampFromMs(Math.trunc(shown.mtimeMs)),
    ...(isLink ? { symlinkTarget: await realpath(path).catch(() => path) } : {}),
  })
}

/** Entries below a directory, each before what is in it, in the order of names. Links are not followed. */
export async function listEntries(options: { path: string; depth: number }): Promise<filesystem.EntryInfo[]> {
  const { path, depth } = options
  if (depth < 1) return []
  const found = await withFileErrors(path, () => readdir(path, { withFileTypes: true }))
  const entries: filesystem.EntryInfo[] = []
  for (const child of found.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const childPath = join(path, child.name)
    const entry = await describeEntry(childPath).catch(() => undefined)
    // It was removed meanwhile, or its name is not UTF-8 and cannot be said in this protocol.
    if (entry === undefined) continue
    entries.push(entry)
    if (child.isDirectory()) {
      entries.push(...(await listEntries({ path: childPath, depth: depth - 1 }).catch(() => [])))
    }
  }
  return entries
}

function typeOf(stats: Stats): filesystem.FileType {
  if (stats.isDirectory()) return filesystem.FileType.DIRECTORY
  if (stats.isSymbolicLink()) return filesystem.FileType.SYMLINK
  return stats.isFile() ? filesystem.FileType.FILE : filesystem.FileType.UNSPECIFIED
}

/** Permissions in the notation of Go's FileMode, which clients of this protocol expect. */
export function permissionsText(stats: Stats): string {
  const kinds: [boolean, string][] = [
    [stats.isDirectory(), 'd'],
    [stats.isSymbolicLink(), 'L'],
    [stats.isBlockDevice(), 'D'],
    [stats.isCharacterDevice(), 'Dc'],
    [stats.isFIFO(), 'p'],
    [stats.isSocket(), 'S'],
    [(stats.mode & 0o4000) !== 0, 'u'],
    [(stats.mode & 0o2000) !== 0, 'g'],
    [(stats.mode & 0o1000) !== 0, 't'],
  ]
  const prefix = kinds.map(([applies, letter]) => (applies ? letter : '')).join('')
  const bits = [...'rwxrwxrwx'].map((letter, index) => ((stats.mode & (0o400 >> index)) === 0 ? '-' : letter)).join('')
  return `${prefix || '-'}${bits}`
}

/** Names by id, as `/etc/passwd` and `/etc/group` have them now. */
async function names(file: string): Promise<Map<number, string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return new Map(
    text.split('\n').flatMap((line) => {
      const [name, , id] = line.split(':')
      return name && id ? [[Number(id), name] as const] : []
    }),
  )
}

import type { BigIntStats } from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { filesystem } from '@threadbox/protocol/guest'
import { pathInvalid, withFileErrors } from './file-errors.ts'

/** Base directories for `~` and relative paths. */
export type PathBase = { home: string; workdir: string }

/**
 * Returns the absolute path for a path from a client. No permission is decided by path: the operating system decides.
 */
export function resolvePath(path: string, base: PathBase): string {
  if (path.includes('\0'))
    throw pathInvalid({ path: path.replaceAll('\0', '\\0'), problem: 'it contains a NUL character' })
  if (path === '~' || path.startsWith('~/')) return resolve(base.home, `.${path.slice(1)}`)
  return isAbsolute(path) ? resolve(path) : resolve(base.workdir, path)
}

/** Describes the entry at `path`. A symbolic link has type and mode of its target, if the target exists. */
export async function describeEntry(path: string): Promise<filesystem.EntryInfo> {
  return await describe(path, await readNames())
}

async function describe(path: string, names: Names): Promise<filesystem.EntryInfo> {
  const own = await withFileErrors(path, () => lstat(path, { bigint: true }))
  const isLink = own.isSymbolicLink()
  const shown = isLink ? await stat(path, { bigint: true }).catch(() => own) : own
  const mode = Number(shown.mode)
  return create(filesystem.EntryInfoSchema, {
    name: basename(path),
    type: typeOf(shown),
    path,
    size: shown.size,
    mode: mode & 0o7777,
    permissions: permissionsText(shown),
    owner: names.users.get(Number(own.uid)) ?? String(own.uid),
    group: names.groups.get(Number(own.gid)) ?? String(own.gid),
    // To the nanosecond: a client protects an edit by this time, so two writes within a millisecond must differ.
    modifiedTime: timestampOf(shown.mtimeNs),
    ...(isLink ? { symlinkTarget: await realpath(path).catch(() => path) } : {}),
  })
}

/** Lists entries below a directory, parents before children, ordered by name. Does not follow links. */
export async function listEntries(options: { path: string; depth: number }): Promise<filesystem.EntryInfo[]> {
  return await listBelow({ ...options, names: await readNames() })
}

async function listBelow(options: { path: string; depth: number; names: Names }): Promise<filesystem.EntryInfo[]> {
  const { path, depth, names } = options
  if (depth < 1) return []
  const found = await withFileErrors(path, () => readdir(path, { withFileTypes: true }))
  const entries: filesystem.EntryInfo[] = []
  for (const child of found.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const childPath = join(path, child.name)
    const entry = await describe(childPath, names).catch(() => undefined)
    // It was removed since it was listed, or its name is not UTF-8 and cannot be sent in this protocol.
    if (entry === undefined) continue
    entries.push(entry)
    if (child.isDirectory()) {
      entries.push(...(await listBelow({ path: childPath, depth: depth - 1, names }).catch(() => [])))
    }
  }
  return entries
}

/** Lists one page of a directory ordered by name. A large directory costs no more than the requested page. */
export async function listPage(options: {
  path: string
  /** Names up to and including this one are skipped; empty: starts at the first. */
  after: string
  limit: number
}): Promise<{ entries: filesystem.EntryInfo[]; total: number; next?: string }> {
  const { path, after, limit } = options
  const found = (await withFileErrors(path, () => readdir(path))).sort((left, right) => (left < right ? -1 : 1))
  const following = found.filter((name) => name > after)
  const asked = following.slice(0, limit)
  const names = await readNames()
  const entries: filesystem.EntryInfo[] = []
  for (let from = 0; from < asked.length; from += atOnce) {
    const some = asked.slice(from, from + atOnce)
    const described = await Promise.all(some.map((name) => describe(join(path, name), names).catch(() => undefined)))
    entries.push(...described.filter((entry) => entry !== undefined))
  }
  const last = asked.at(-1)
  const isEnd = last === undefined || asked.length === following.length
  return { entries, total: found.length, ...(isEnd ? {} : { next: last }) }
}

function typeOf(stats: BigIntStats): filesystem.FileType {
  if (stats.isDirectory()) return filesystem.FileType.DIRECTORY
  if (stats.isSymbolicLink()) return filesystem.FileType.SYMLINK
  return stats.isFile() ? filesystem.FileType.FILE : filesystem.FileType.UNSPECIFIED
}

/** Permissions in the notation of Go's FileMode, which clients of this protocol expect. */
function permissionsText(stats: BigIntStats): string {
  const mode = Number(stats.mode)
  const kinds: [boolean, string][] = [
    [stats.isDirectory(), 'd'],
    [stats.isSymbolicLink(), 'L'],
    [stats.isBlockDevice(), 'D'],
    [stats.isCharacterDevice(), 'Dc'],
    [stats.isFIFO(), 'p'],
    [stats.isSocket(), 'S'],
    [(mode & 0o4000) !== 0, 'u'],
    [(mode & 0o2000) !== 0, 'g'],
    [(mode & 0o1000) !== 0, 't'],
  ]
  const prefix = kinds.map(([applies, letter]) => (applies ? letter : '')).join('')
  const bits = [...'rwxrwxrwx'].map((letter, index) => ((mode & (0o400 >> index)) === 0 ? '-' : letter)).join('')
  return `${prefix || '-'}${bits}`
}

/** Entries that are read at the same time. */
const atOnce = 32

/** Names of users and groups by their ids. */
type Names = { users: Map<number, string>; groups: Map<number, string> }

async function readNames(): Promise<Names> {
  const [users, groups] = await Promise.all([namesIn('/etc/passwd'), namesIn('/etc/group')])
  return { users, groups }
}

function timestampOf(nanoseconds: bigint) {
  const second = 1_000_000_000n
  const nanos = ((nanoseconds % second) + second) % second
  return { seconds: (nanoseconds - nanos) / second, nanos: Number(nanos) }
}

/** Returns names by id, as `/etc/passwd` or `/etc/group` currently has them. */
async function namesIn(file: string): Promise<Map<number, string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return new Map(
    text.split('\n').flatMap((line) => {
      const [name, , id] = line.split(':')
      return name && id ? [[Number(id), name] as const] : []
    }),
  )
}

import { posix } from 'node:path'
import { filesystem } from '@threadbox/protocol/guest'
import type { FileEntry } from '@threadbox/protocol/public'

const types: Record<number, FileEntry['type']> = {
  [filesystem.FileType.FILE]: 'file',
  [filesystem.FileType.DIRECTORY]: 'directory',
  [filesystem.FileType.SYMLINK]: 'symlink',
}

/** Linux allows 255 bytes for a name and 4096 for a path. The code of a sandbox can return longer ones. */
export const maxNameCharacters = 1000
const maxPathCharacters = 8192
const maxPermissionCharacters = 100
/** The latest and earliest moment that JavaScript has. */
const mostMs = 8.64e15

/** A guest’s entry within the limits of what exists: texts are cut, and a number outside is the nearest possible one. */
export function present(info: filesystem.EntryInfo): FileEntry {
  const path = textOf(info.path, maxPathCharacters)
  const modifiedMs = Number(info.modifiedTime?.seconds ?? 0) * 1000 + Math.floor((info.modifiedTime?.nanos ?? 0) / 1e6)
  return {
    name: info.name === '' ? posix.basename(path) : textOf(info.name, maxNameCharacters),
    path,
    type: types[info.type] ?? 'other',
    sizeBytes: within(Number(info.size), { least: 0, most: Number.MAX_SAFE_INTEGER }),
    modifiedAt: within(modifiedMs, { least: -mostMs, most: mostMs }),
    permissions: textOf(info.permissions, maxPermissionCharacters),
    version: versionOf(info),
    linkTarget: info.symlinkTarget === undefined ? null : textOf(info.symlinkTarget, maxPathCharacters),
  }
}

/**
 * Changes with every write: modification time in nanoseconds, and size. It can also change without a write: a time in
 * the sandbox’s memory and on its disk differ slightly, and the one in memory is lost, at a pause first.
 */
export function versionOf(info: filesystem.EntryInfo): string {
  return `"${info.modifiedTime?.seconds ?? 0}-${info.modifiedTime?.nanos ?? 0}-${info.size}"`
}

function textOf(text: string, mostCharacters: number): string {
  return text.slice(0, mostCharacters).replaceAll('\0', '\u{fffd}')
}

function within(value: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, value))
}

import { type FSWatcher, type Stats, watch } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { makeSerial } from '@threadbox/concurrency'
import { filesystem } from '@threadbox/protocol/guest'
import { isUploadName } from './upload-target.ts'

type KnownEntry = Pick<Stats, 'ino' | 'mode' | 'uid' | 'gid' | 'size' | 'mtimeMs'> & { isDirectory: boolean }
export type WatchEvent = { name: string; path: string; type: filesystem.EventType }

/** Follows changes in a directory until it is closed. */
export type DirectoryWatch = { close(): void }

const { EventType } = filesystem

/**
 * Watches a directory, and everything below it if `recursive`. The system only reports that a name has changed. The
 * kind of change comes from a comparison with the known state, so changes within an instant can be reported as one.
 */
export async function watchDirectory(options: {
  path: string
  recursive: boolean
  onEvent(event: WatchEvent): void
}): Promise<DirectoryWatch> {
  const directories = new Map<string, { watcher: FSWatcher; known: Map<string, KnownEntry> }>()
  // Changes are handled one after another, or two checks of one name could both report it as new.
  const checking = makeSerial()
  const tell = (path: string, type: filesystem.EventType) =>
    options.onEvent({ name: relative(options.path, path), path, type })

  const unwatch = (directory: string) => {
    for (const [path, { watcher }] of directories) {
      if (path !== directory && !path.startsWith(`${directory}/`)) continue
      watcher.close()
      directories.delete(path)
    }
  }
  const add = async (directory: string, isNew: boolean) => {
    const known = new Map<string, KnownEntry>()
    const watcher = watch(directory, (kind, name) => {
      if (name === null || isUploadName(name)) return
      checking(() => check({ directory, name, kind })).catch(() => undefined)
    })
    watcher.on('error', () => watcher.close())
    directories.set(directory, { watcher, known })
    for (const name of await readdir(directory)) {
      if (isUploadName(name)) continue
      const found = await inspect(join(directory, name))
      if (found === undefined) continue
      known.set(name, found)
      if (isNew) tell(join(directory, name), EventType.CREATE)
      if (found.isDirectory && options.recursive) await add(join(directory, name), isNew)
    }
  }
  const check = async (change: { directory: string; name: string; kind: 'rename' | 'change' }) => {
    const known = directories.get(change.directory)?.known
    if (known === undefined) return
    const path = join(change.directory, change.name)
    const before = known.get(change.name)
    const now = await inspect(path)
    if (now === undefined) {
      if (before === undefined) return
      known.delete(change.name)
      unwatch(path)
      const moved = await hasMoved({ directory: change.directory, known, inode: before.ino })
      tell(path, moved ? EventType.RENAME : EventType.REMOVE)
      return
    }
    known.set(change.name, now)
    if (before === undefined) {
      tell(path, EventType.CREATE)
      if (now.isDirectory && options.recursive) await add(path, true).catch(() => undefined)
      return
    }
    const type = changeBetween(before, now)
    if (type !== undefined) tell(path, type)
  }
  await add(options.path, false)
  return { close: () => unwatch(options.path) }
}

/** Returns undefined if nothing reportable has changed, such as only a directory's own times. */
function changeBetween(before: KnownEntry, now: KnownEntry): filesystem.EventType | undefined {
  if (before.mode !== now.mode || before.uid !== now.uid || before.gid !== now.gid) return EventType.CHMOD
  if (now.isDirectory) return undefined
  return EventType.WRITE
}

async function hasMoved(options: {
  directory: string
  known: Map<string, KnownEntry>
  inode: number
}): Promise<boolean> {
  for (const name of await readdir(options.directory).catch(() => [])) {
    if (options.known.has(name)) continue
    const found = await inspect(join(options.directory, name))
    if (found?.ino === options.inode) return true
  }
  return false
}

async function inspect(path: string): Promise<KnownEntry | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  const { ino, mode, uid, gid, size, mtimeMs } = stats
  return { ino, mode, uid, gid, size, mtimeMs, isDirectory: stats.isDirectory() }
}

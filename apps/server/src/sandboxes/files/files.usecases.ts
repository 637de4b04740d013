import { posix } from 'node:path'
import { isErrorOf } from '@threadbox/errors'
import { filesystem } from '@threadbox/protocol/guest'
import type { FileEntry, FilesPage } from '@threadbox/protocol/public'
import type { OpenedFile, ReachableSandbox } from '../state/awake-sandbox.ts'
import { fileIsDirectory, fileNotFound } from '../state/file.errors.ts'
import { fileRefused, sandboxNotAwake } from '../state/sandboxes.errors.ts'
import { maxNameCharacters, present, versionOf } from './file-entry.logic.ts'
import { fileChanged, fileExists, folderProtected, rangeOutside } from './files.errors.ts'
import { onPath } from './path-errors.ts'
import type { SleepingReads } from './sleeping-files.ts'

type Info = filesystem.EntryInfo

/** The state that a write depends on: the version that the writer has seen, or that the file does not exist. */
export type WriteCondition = { ifMatch: string | undefined; onlyIfNew: boolean }

/** A part of a folder, sorted by name. */
export type FilesPart = { after: string; limit: number }

/** Folders that work in the sandbox depends on. */
const protectedFolders = new Set(['/', '/home', '/home/user'])

/**
 * The files of a thread’s sandbox. Each call wakes the sandbox first. With `mayWake: false`, reads of a sleeping
 * sandbox read its disk, or throw `sandbox.not-awake` if that is not possible.
 */
export type Files = {
  list(threadId: string, path: string, options: FilesPart & ReadOptions): Promise<FilesPage>
  entry(threadId: string, path: string, options: ReadOptions): Promise<FileEntry>
  /** Throws `file.not-found`, `file.is-directory`, `file.range-outside`. */
  read(
    threadId: string,
    path: string,
    options: ReadOptions & { range: string | undefined },
  ): Promise<OpenedFile & { entry: FileEntry }>
  /** Throws `file.changed` with the current version, `file.path-taken`, `sandbox.disk-full`. */
  write(
    threadId: string,
    path: string,
    options: WriteCondition & {
      content: ReadableStream<Uint8Array>
      signal: AbortSignal
      /** Makes a new file executable for everyone who can read it. */
      isExecutable?: boolean
    },
  ): Promise<FileEntry>
  /** Returns the removed entry. Throws `file.folder-protected`. */
  remove(threadId: string, path: string): Promise<FileEntry>
  /** Throws `file.path-taken` instead of overwriting, `file.folder-protected`. */
  move(threadId: string, request: { from: string; to: string }): Promise<FileEntry>
  makeFolder(threadId: string, path: string): Promise<FileEntry>
  /**
   * Returns a folder as a zip, with `only` these paths below it. Reads a sleeping sandbox’s disk if that is possible.
   */
  archive(
    threadId: string,
    path: string,
    options: {
      only: readonly string[]
      signal: AbortSignal
      /** Called before a sandbox is started for this; throws if the sender can’t start one. */
      beforeWake: () => Promise<void>
    },
  ): Promise<ReadableStream<Uint8Array>>
}

export type ReadOptions = { signal: AbortSignal; mayWake: boolean }

export function makeFiles(options: {
  awake: (threadId: string, options: { reason: 'files'; signal?: AbortSignal }) => Promise<ReachableSandbox>
  ifAwake: (threadId: string) => Promise<ReachableSandbox | undefined>
  /** Throws `sandbox.not-awake` for a thread without a sandbox. */
  asleep: (threadId: string, signal: AbortSignal) => Promise<SleepingReads>
}): Files {
  const awake = (threadId: string, signal?: AbortSignal) =>
    options.awake(threadId, { reason: 'files', ...(signal === undefined ? {} : { signal }) })
  /** Undefined if the sandbox sleeps and can stay asleep. */
  const toRead = (threadId: string, { mayWake, signal }: ReadOptions) =>
    mayWake ? awake(threadId, signal) : options.ifAwake(threadId)
  const archiveAsleep = async (
    threadId: string,
    path: string,
    { only, signal }: { only: readonly string[]; signal: AbortSignal },
  ): Promise<ReadableStream<Uint8Array> | undefined> => {
    if ((await options.ifAwake(threadId)) !== undefined) return undefined
    try {
      return await (await options.asleep(threadId, signal)).archive(path, only)
    } catch (error) {
      if (isErrorOf(sandboxNotAwake, error)) return undefined
      throw error
    }
  }
  return {
    list: async (threadId, path, { after, limit, ...how }) => {
      const sandbox = await toRead(threadId, how)
      if (sandbox === undefined) return await (await options.asleep(threadId, how.signal)).list(path, { after, limit })
      const request = { path, depth: 1, after, limit }
      return pageOf(await onPath(path, sandbox.files.listDir(request, { signal: how.signal })), { after, limit })
    },
    entry: async (threadId, path, how) => {
      const sandbox = await toRead(threadId, how)
      if (sandbox === undefined) return await (await options.asleep(threadId, how.signal)).entry(path)
      return present(await stat(sandbox, path))
    },
    read: async (threadId, path, { range, ...how }) => {
      const { signal } = how
      const sandbox = await toRead(threadId, how)
      if (sandbox === undefined) return await (await options.asleep(threadId, signal)).read(path, range)
      const info = await stat(sandbox, path)
      if (info.type === filesystem.FileType.DIRECTORY) throw fileIsDirectory({ path })
      if (range !== undefined && isOutside(range, Number(info.size))) {
        throw rangeOutside({ path, sizeBytes: Number(info.size) })
      }
      const opened = await sandbox.openFile(path, { signal, ...(range === undefined ? {} : { range }) })
      return { ...opened, entry: present(info) }
    },
    write: async (threadId, path, { content, signal, isExecutable, ...condition }) => {
      const sandbox = await awake(threadId, signal)
      await checkCondition(sandbox, path, condition)
      await sandbox.uploadFile(path, content, { signal, isExecutable: isExecutable === true })
      return present(await stat(sandbox, path))
    },
    remove: async (threadId, path) => {
      requireUnprotected(path)
      const sandbox = await awake(threadId)
      const removed = present(await stat(sandbox, path))
      await onPath(path, sandbox.files.remove({ path }))
      return removed
    },
    move: async (threadId, { from, to }) => {
      requireUnprotected(from)
      const sandbox = await awake(threadId)
      await stat(sandbox, from)
      if ((await statIfExists(sandbox, to)) !== undefined) throw fileExists({ path: to })
      await onPath(to, sandbox.files.move({ source: from, destination: to }))
      return present(await stat(sandbox, to))
    },
    makeFolder: async (threadId, path) => {
      const sandbox = await awake(threadId)
      await onPath(path, sandbox.files.makeDir({ path }))
      return present(await stat(sandbox, path))
    },
    archive: async (threadId, path, { beforeWake, ...how }) => {
      const asleep = await archiveAsleep(threadId, path, how)
      if (asleep !== undefined) return asleep
      if ((await options.ifAwake(threadId)) === undefined) await beforeWake()
      const sandbox = await awake(threadId, how.signal)
      const info = await stat(sandbox, path)
      if (info.type !== filesystem.FileType.DIRECTORY) throw fileRefused({ path, problem: 'it is not a folder.' })
      return await sandbox.openArchive(path, how)
    },
  }
}

/** The file can change between this check and the write: this protects a person’s edit and is not a lock. */
async function checkCondition(sandbox: ReachableSandbox, path: string, condition: WriteCondition): Promise<void> {
  if (condition.ifMatch === undefined && !condition.onlyIfNew) return
  const info = await statIfExists(sandbox, path)
  if (condition.onlyIfNew && info !== undefined) throw fileExists({ path })
  const version = info === undefined ? null : versionOf(info)
  if (condition.ifMatch !== undefined && version !== condition.ifMatch) throw fileChanged({ path, version })
}

function requireUnprotected(path: string): void {
  const named = posix.resolve('/', path)
  if (protectedFolders.has(named)) throw folderProtected({ path: named })
}

/** Older guests do not know pages and respond with the whole folder. */
function pageOf(answer: filesystem.ListDirResponse, { after, limit }: FilesPart): FilesPage {
  if (answer.total !== undefined) {
    const next = answer.next === undefined || answer.next.length > maxNameCharacters ? null : answer.next
    return { entries: answer.entries.slice(0, limit).map(present), total: answer.total, next }
  }
  const entries = answer.entries.map(present)
  const following = entries.filter(({ name }) => name > after).sort((one, other) => (one.name < other.name ? -1 : 1))
  const shown = following.slice(0, limit)
  const next = following.length > limit ? (shown.at(-1)?.name ?? null) : null
  return { entries: shown, total: entries.length, next }
}

/** Files of /proc report size 0 and have content, so their ranges cannot be checked. */
function isOutside(range: string, sizeBytes: number): boolean {
  const start = /^bytes=(\d+)-/.exec(range)?.[1]
  return start !== undefined && sizeBytes > 0 && Number(start) >= sizeBytes
}

async function stat(sandbox: ReachableSandbox, path: string): Promise<Info> {
  const { entry } = await onPath(path, sandbox.files.stat({ path }))
  if (entry === undefined) throw fileNotFound({ path })
  return entry
}

async function statIfExists(sandbox: ReachableSandbox, path: string): Promise<Info | undefined> {
  try {
    return await stat(sandbox, path)
  } catch (error) {
    if ((error as { code?: unknown }).code === fileNotFound.code) return undefined
    throw error
  }
}

import { posix } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { filesystem } from '@threadbox/protocol/guest'
import type { FileEntry } from '@threadbox/protocol/public'
import type { OpenedFile, ReachableSandbox } from '../sandboxes/awake-sandbox.ts'
import { fileRefused, sandboxDiskFull } from '../sandboxes/sandboxes.errors.ts'
import { fileIsDirectory, fileNotFound } from '../tools/tools.errors.ts'
import { fileChanged, fileExists, rangeOutside } from './files.errors.ts'

type Info = filesystem.EntryInfo
const types: Record<number, FileEntry['type']> = {
  [filesystem.FileType.FILE]: 'file',
  [filesystem.FileType.DIRECTORY]: 'directory',
  [filesystem.FileType.SYMLINK]: 'symlink',
}

/** What a write may rely on: the state that the writer has seen, or that there is nothing yet. */
export type WriteCondition = { ifMatch: string | undefined; onlyIfNew: boolean }

/** The files of a thread's sandbox. Each call brings it awake first. */
export type Files = {
  list(threadId: string, path: string, signal: AbortSignal): Promise<FileEntry[]>
  /** Throws `file.not-found`, `file.is-directory`, `file.range-outside`. */
  read(
    threadId: string,
    path: string,
    options: { range: string | undefined; signal: AbortSignal },
  ): Promise<OpenedFile & { entry: FileEntry; etag: string }>
  /** Throws `file.changed`, `file.path-taken`, `sandbox.disk-full`. */
  write(
    threadId: string,
    path: string,
    options: WriteCondition & { content: ReadableStream<Uint8Array>; signal: AbortSignal },
  ): Promise<{ entry: FileEntry; etag: string }>
  remove(threadId: string, path: string): Promise<void>
  /** Throws `file.path-taken` instead of overwriting. */
  move(threadId: string, request: { from: string; to: string }): Promise<FileEntry>
  makeFolder(threadId: string, path: string): Promise<FileEntry>
  archive(threadId: string, path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

export function makeFiles(options: {
  awake: (threadId: string, options: { reason: 'files'; signal?: AbortSignal }) => Promise<ReachableSandbox>
}): Files {
  const awake = (threadId: string, signal?: AbortSignal) =>
    options.awake(threadId, { reason: 'files', ...(signal === undefined ? {} : { signal }) })
  return {
    list: async (threadId, path, signal) => {
      const sandbox = await awake(threadId, signal)
      const { entries } = await onPath(path, sandbox.files.listDir({ path, depth: 1 }, { signal }))
      return entries.map(present)
    },
    read: async (threadId, path, { range, signal }) => {
      const sandbox = await awake(threadId, signal)
      const info = await stat(sandbox, path)
      if (info.type === filesystem.FileType.DIRECTORY) throw fileIsDirectory({ path })
      if (range !== undefined && isOutside(range, Number(info.size))) {
        throw rangeOutside({ path, sizeBytes: Number(info.size) })
      }
      const opened = await sandbox.openFile(path, { signal, ...(range === undefined ? {} : { range }) })
      return { ...opened, entry: present(info), etag: etagOf(info) }
    },
    write: async (threadId, path, { content, signal, ...condition }) => {
      const sandbox = await awake(threadId, signal)
      await checkCondition(sandbox, path, condition)
      await sandbox.upload(path, content, signal)
      const info = await stat(sandbox, path)
      return { entry: present(info), etag: etagOf(info) }
    },
    remove: async (threadId, path) => {
      const sandbox = await awake(threadId)
      await stat(sandbox, path)
      await onPath(path, sandbox.files.remove({ path }))
    },
    move: async (threadId, { from, to }) => {
      const sandbox = await awake(threadId)
      await stat(sandbox, from)
      if ((await statIfThere(sandbox, to)) !== undefined) throw fileExists({ path: to })
      await onPath(to, sandbox.files.move({ source: from, destination: to }))
      return present(await stat(sandbox, to))
    },
    makeFolder: async (threadId, path) => {
      const sandbox = await awake(threadId)
      await onPath(path, sandbox.files.makeDir({ path }))
      return present(await stat(sandbox, path))
    },
    archive: async (threadId, path, signal) => {
      const sandbox = await awake(threadId, signal)
      const info = await stat(sandbox, path)
      if (info.type !== filesystem.FileType.DIRECTORY) throw fileRefused({ path, problem: 'it is not a folder.' })
      return await sandbox.openArchive(path, signal)
    },
  }
}

/** Between this look and the write there is a moment: it protects a person's edit, it is not a lock. */
async function checkCondition(sandbox: ReachableSandbox, path: string, condition: WriteCondition): Promise<void> {
  if (condition.ifMatch === undefined && !condition.onlyIfNew) return
  const info = await statIfThere(sandbox, path)
  if (condition.onlyIfNew && info !== undefined) throw fileExists({ path })
  if (condition.ifMatch !== undefined && (info === undefined || etagOf(info) !== condition.ifMatch)) {
    throw fileChanged({ path })
  }
}

/** Files of /proc say that they are empty and still have content: nothing can be said of their parts. */
function isOutside(range: string, sizeBytes: number): boolean {
  const start = /^bytes=(\d+)-/.exec(range)?.[1]
  return start !== undefined && sizeBytes > 0 && Number(start) >= sizeBytes
}

async function stat(sandbox: ReachableSandbox, path: string): Promise<Info> {
  const { entry } = await onPath(path, sandbox.files.stat({ path }))
  if (entry === undefined) throw fileNotFound({ path })
  return entry
}

async function statIfThere(sandbox: ReachableSandbox, path: string): Promise<Info | undefined> {
  try {
    return await stat(sandbox, path)
  } catch (error) {
    if ((error as { code?: unknown }).code === fileNotFound.code) return undefined
    throw error
  }
}

/** Changes with every write: modification time to the nanosecond, and size. */
function etagOf(info: Info): string {
  return `"${info.modifiedTime?.seconds ?? 0}-${info.modifiedTime?.nanos ?? 0}-${info.size}"`
}

async function onPath<Answer>(path: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ConnectError ? pathError(error, path) : error
  }
}

function pathError(error: ConnectError, path: string): Error {
  if (error.code === Code.NotFound) return fileNotFound({ path }, { cause: error })
  if (error.code === Code.AlreadyExists) return fileExists({ path }, { cause: error })
  if (error.code === Code.ResourceExhausted) return sandboxDiskFull({ path }, { cause: error })
  const isAboutPath = [Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition].includes(error.code)
  return isAboutPath ? fileRefused({ path, problem: error.rawMessage }, { cause: error }) : error
}

function present(info: Info): FileEntry {
  const seconds = Number(info.modifiedTime?.seconds ?? 0)
  return {
    name: info.name === '' ? posix.basename(info.path) : info.name,
    path: info.path,
    type: types[info.type] ?? 'other',
    sizeBytes: Number(info.size),
    modifiedAt: seconds * 1000 + Math.floor((info.modifiedTime?.nanos ?? 0) / 1e6),
    permissions: info.permissions,
  }
}

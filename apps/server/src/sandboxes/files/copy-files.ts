import { posix } from 'node:path'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import type { CopiedFiles, FileEntry } from '@threadbox/protocol/public'
import { fileNotFound } from '../state/file.errors.ts'
import { sandboxNotAwake } from '../state/sandboxes.errors.ts'
import { fileExists } from './files.errors.ts'
import type { Files } from './files.usecases.ts'

export type FilesCopy = {
  fromThreadId: string
  toThreadId: string
  paths: readonly string[]
  /** The destination folder in the other sandbox. */
  to: string
  signal: AbortSignal
  /** Called during the copy, some times a second. */
  onProgress?: (copied: Pick<CopiedFiles, 'files' | 'bytes'>) => void
}

const partSize = 1000
const progressMs = 300

/**
 * Copies files and folders from one thread’s sandbox to another’s. The source is read while it sleeps if that is
 * possible. Nothing is overwritten: for an existing name, throws `file.path-taken` before anything is copied. Links are
 * left out, because their targets are missing in the destination; executable files stay executable. A canceled copy
 * leaves the files that it has copied.
 */
export async function copyFiles(files: Files, copy: FilesCopy): Promise<CopiedFiles> {
  const source = await readerOf(files, copy)
  const wanted: { entry: FileEntry; target: string }[] = []
  for (const path of copy.paths) {
    const entry = await source.entry(path)
    const target = posix.join(copy.to, posix.basename(entry.path))
    if (await exists(files, { ...copy, target })) throw fileExists({ path: target })
    wanted.push({ entry, target })
  }
  const copied: CopiedFiles = { files: 0, bytes: 0, skipped: [] }
  const work: Work = { files, source, copy, copied, report: throttledProgress(copy) }
  for (const one of wanted) await copyEntry(work, one)
  return copied
}

type Work = {
  files: Files
  source: Reader
  copy: FilesCopy
  copied: CopiedFiles
  report: (copied: CopiedSoFar) => void
}
type CopiedSoFar = Pick<CopiedFiles, 'files' | 'bytes'>

function throttledProgress({ onProgress }: FilesCopy): Work['report'] {
  let reportedAt = Date.now()
  return (copiedSoFar) => {
    if (Date.now() - reportedAt < progressMs) return
    reportedAt = Date.now()
    onProgress?.(copiedSoFar)
  }
}

async function copyEntry(work: Work, { entry, target }: { entry: FileEntry; target: string }): Promise<void> {
  const { files, source, copy, copied, report } = work
  copy.signal.throwIfAborted()
  if (entry.linkTarget !== null || (entry.type !== 'file' && entry.type !== 'directory')) {
    copied.skipped.push(entry.path)
    return
  }
  if (entry.type === 'directory') {
    await files.makeFolder(copy.toThreadId, target)
    for await (const inside of source.entriesOf(entry.path)) {
      await copyEntry(work, { entry: inside, target: posix.join(target, inside.name) })
    }
    return
  }
  const opened = await source.open(entry.path)
  if (opened === undefined) {
    copied.skipped.push(entry.path)
    return
  }
  const written = await files.write(copy.toThreadId, target, {
    ifMatch: undefined,
    onlyIfNew: true,
    signal: copy.signal,
    isExecutable: isExecutable(entry),
    content: counted(opened, (bytes) => report({ files: copied.files, bytes: copied.bytes + bytes })),
  })
  copied.files += 1
  copied.bytes += written.sizeBytes
  report(copied)
}

/**
 * From permissions as `ls` prints them, whatever precedes the last nine letters: true if the owner can execute the
 * file.
 */
function isExecutable({ permissions }: FileEntry): boolean {
  return /[xs]/.test(permissions.slice(-9)[2] ?? '')
}

function counted(
  content: ReadableStream<Uint8Array>,
  onBytes: (bytesSoFar: number) => void,
): ReadableStream<Uint8Array> {
  let bytes = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
  return content.pipeThrough(counting)
}

type Reader = {
  entry(path: string): Promise<FileEntry>
  entriesOf(folder: string): AsyncGenerator<FileEntry>
  /** Undefined if the user of the sandbox cannot read the file or it is gone. */
  open(path: string): Promise<ReadableStream<Uint8Array> | undefined>
}

async function readerOf(files: Files, copy: FilesCopy): Promise<Reader> {
  const { fromThreadId, signal } = copy
  const how = { signal, mayWake: false }
  await files.entry(fromThreadId, '/', how).catch((error: unknown) => {
    if (!isThreadboxError(error) || error.code !== sandboxNotAwake.code) throw error
    how.mayWake = true
  })
  return {
    entry: (path) => files.entry(fromThreadId, path, how),
    entriesOf: async function* (folder) {
      for (let after: string | null = ''; after !== null; ) {
        const page = await files.list(fromThreadId, folder, { after, limit: partSize, ...how })
        yield* page.entries
        after = page.next
      }
    },
    open: async (path) => {
      try {
        return (await files.read(fromThreadId, path, { range: undefined, ...how })).stream
      } catch (error) {
        if (isThreadboxError(error) && unreadable.has(error.code)) return undefined
        throw error
      }
    },
  }
}

const unreadable = new Set(['file.refused', 'file.not-found'])

async function exists(files: Files, at: FilesCopy & { target: string }): Promise<boolean> {
  try {
    await files.entry(at.toThreadId, at.target, { signal: at.signal, mayWake: true })
    return true
  } catch (error) {
    if (isErrorOf(fileNotFound, error)) return false
    throw error
  }
}

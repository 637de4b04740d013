import { isThreadboxError } from '@threadbox/errors'
import {
  hostAnswerUnknown,
  type SleepingAnswer,
  type SleepingEntry,
  type SleepingQuestion,
} from '@threadbox/protocol/host'
import type { FileEntry, FilesPage } from '@threadbox/protocol/public'
import type { OpenedFile } from '../state/awake-sandbox.ts'
import { fileIsDirectory } from '../state/file.errors.ts'
import { sandboxNotAwake } from '../state/sandboxes.errors.ts'
import { rangeOutside } from './files.errors.ts'

/** The host’s error codes if this disk cannot be read from outside now. */
const notReadableCodes = new Set(['sandbox.disk-not-readable', 'sandbox.not-found', 'disk.not-found'])

/** Reads of a sleeping sandbox: the same results as if it were awake, without waking it. */
export type SleepingReads = {
  list(path: string, part: { after: string; limit: number }): Promise<FilesPage>
  entry(path: string): Promise<FileEntry>
  read(path: string, range: string | undefined): Promise<OpenedFile & { entry: FileEntry }>
  archive(path: string, only: readonly string[]): Promise<ReadableStream<Uint8Array>>
}

type AnswerTo<Kind> = Extract<SleepingAnswer, { kind: Kind }>

/** `state` is the state in the error if the disk cannot be read. */
export function makeSleepingReads(
  ask: (question: SleepingQuestion) => Promise<SleepingAnswer>,
  state: string,
): SleepingReads {
  const asked = async <Question extends SleepingQuestion>(question: Question): Promise<AnswerTo<Question['kind']>> => {
    try {
      const answer = await ask(question)
      if (answer.kind !== question.kind) throw hostAnswerUnknown({ status: 200 })
      return answer as AnswerTo<Question['kind']>
    } catch (error) {
      if (isThreadboxError(error) && notReadableCodes.has(error.code))
        throw sandboxNotAwake({ state }, { cause: error })
      throw error
    }
  }
  return {
    list: async (path, part) => {
      const { page } = await asked({ kind: 'list' as const, path, ...part })
      return { ...page, entries: page.entries.map(presentSleeping) }
    },
    entry: async (path) => presentSleeping((await asked({ kind: 'entry' as const, path })).entry),
    archive: async (path, only) => {
      const { bytes } = await asked({ kind: 'archive' as const, path, only: JSON.stringify(only) })
      return bytes
    },
    read: async (path, range) => {
      const { entry: about } = await asked({ kind: 'entry' as const, path })
      if (about.type === 'directory') throw fileIsDirectory({ path })
      const part = partOf(range, about.sizeBytes)
      if (part === 'outside') throw rangeOutside({ path, sizeBytes: about.sizeBytes })
      const { bytes: stream } = await asked({ kind: 'content' as const, path, start: 0, ...part })
      const entry = presentSleeping(about)
      if (part === undefined) return { status: 200, stream, sizeBytes: about.sizeBytes, contentRange: null, entry }
      const contentRange = `bytes ${part.start}-${part.end}/${about.sizeBytes}`
      return { status: 206, stream, sizeBytes: part.end - part.start + 1, contentRange, entry }
    },
  }
}

/** Undefined for the whole file, also for ranges that cannot be parsed. */
function partOf(range: string | undefined, sizeBytes: number): { start: number; end: number } | 'outside' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const last = sizeBytes - 1
  const start = match[1] === '' ? Math.max(0, sizeBytes - Number(match[2])) : Number(match[1])
  const end = match[1] === '' || match[2] === '' ? last : Math.min(Number(match[2]), last)
  return start > end ? 'outside' : { start, end }
}

function presentSleeping(entry: SleepingEntry): FileEntry {
  return {
    name: entry.name,
    path: entry.path,
    type: entry.type,
    sizeBytes: entry.sizeBytes,
    modifiedAt: entry.modifiedSeconds * 1000 + Math.floor(entry.modifiedNanos / 1e6),
    permissions: permissionsOf(entry),
    // Equal to the guest’s version: a text that was read while the sandbox slept can be saved once it is awake.
    version: `"${entry.modifiedSeconds}-${entry.modifiedNanos}-${entry.sizeBytes}"`,
    linkTarget: entry.linkTarget,
  }
}

function permissionsOf({ mode, type }: SleepingEntry): string {
  const bits = [...'rwxrwxrwx'].map((letter, index) => ((mode & (0o400 >> index)) === 0 ? '-' : letter)).join('')
  return `${type === 'directory' ? 'd' : type === 'symlink' ? 'L' : '-'}${bits}`
}

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync } from 'node:fs'
import type { SleepingEntry, SleepingPage, SleepingQuestion } from '@threadbox/protocol/host'

/** Why a question has no result, for the parent to put into words. */
export type Refusal = { reason: 'missing' | 'is-directory' | 'refused'; problem: string }

export class RefusedQuestion extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.problem)
    this.refusal = refusal
  }
}

export type Answer =
  | { kind: 'list'; page: SleepingPage }
  | { kind: 'entry'; entry: SleepingEntry }
  | { kind: 'content'; entry: SleepingEntry; file: number }
  /** The current directory is then the folder. */
  | { kind: 'archive'; entry: SleepingEntry }

/**
 * Answers from the tree below the current directory, and changes that directory on the way. Each step of the path must
 * be a real directory: no symbolic link is followed, so nothing leads out of the tree, and no pipe or device is opened.
 * The tree must not change in the meantime.
 */
export function answerQuestion(question: SleepingQuestion): Answer {
  return refusing(() => {
    const parts = partsOf(question.path)
    if (question.kind === 'list') {
      for (const part of parts) enter(part)
      return { kind: 'list', page: listHere(parts, question) }
    }
    if (question.kind === 'archive') {
      for (const part of parts) enter(part)
      readdirSync('.')
      return { kind: 'archive', entry: describe('.', pathOf(parts)) }
    }
    const name = parts.pop()
    for (const part of parts) enter(part)
    const entry = describe(name ?? '.', name === undefined ? '/' : pathOf([...parts, name]))
    if (question.kind === 'entry' || name === undefined) return { kind: 'entry', entry }
    if (entry.type === 'directory') throw new RefusedQuestion({ reason: 'is-directory', problem: '' })
    if (entry.type !== 'file') throw new RefusedQuestion({ reason: 'refused', problem: 'it is not a regular file.' })
    return { kind: 'content', entry, file: openRegular(name) }
  })
}

function openRegular(name: string): number {
  const file = openSync(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new RefusedQuestion({ reason: 'refused', problem: 'it is not a regular file.' })
}

/** A leading `..` stays at the root, as in any file system. */
function partsOf(path: string): string[] {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}

function enter(name: string): void {
  const stats = lstatSync(name)
  if (stats.isSymbolicLink())
    throw new RefusedQuestion({ reason: 'refused', problem: 'part of the path is a symbolic link.' })
  if (!stats.isDirectory())
    throw new RefusedQuestion({ reason: 'refused', problem: 'part of the path is not a folder.' })
  process.chdir(name)
  const here = lstatSync('.')
  // It was replaced just now.
  if (here.ino !== stats.ino || here.dev !== stats.dev) {
    throw new RefusedQuestion({ reason: 'refused', problem: 'it changed while it was being read.' })
  }
}

function listHere(parts: readonly string[], options: { after: string; limit: number }): SleepingPage {
  const names = readdirSync('.').sort((one, other) => (one < other ? -1 : 1))
  const following = names.filter((name) => name > options.after)
  const asked = following.slice(0, options.limit)
  const entries = asked.flatMap((name) => {
    try {
      return [describe(name, pathOf([...parts, name]))]
    } catch {
      // A name that is not UTF-8 cannot be sent in this protocol.
      return []
    }
  })
  const isEnd = asked.length === following.length
  return { entries, total: names.length, next: isEnd ? null : (asked.at(-1) ?? null) }
}

function describe(name: string, path: string): SleepingEntry {
  const stats = lstatSync(name, { bigint: true })
  const second = 1_000_000_000n
  const nanos = ((stats.mtimeNs % second) + second) % second
  const isLink = stats.isSymbolicLink()
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    type: stats.isDirectory() ? 'directory' : isLink ? 'symlink' : stats.isFile() ? 'file' : 'other',
    sizeBytes: Number(stats.size),
    modifiedSeconds: Number((stats.mtimeNs - nanos) / second),
    modifiedNanos: Number(nanos),
    mode: Number(stats.mode),
    linkTarget: isLink ? readlinkSync(name) : null,
  }
}

function pathOf(parts: readonly string[]): string {
  return `/${parts.join('/')}`
}

function refusing<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof RefusedQuestion) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new RefusedQuestion({ reason: 'missing', problem: '' })
    if (code === 'EACCES' || code === 'EPERM') {
      throw new RefusedQuestion({ reason: 'refused', problem: 'permission denied.' })
    }
    const known = ['ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'ENXIO', 'ERR_INVALID_ARG_VALUE']
    if (known.includes(code ?? '')) throw new RefusedQuestion({ reason: 'refused', problem: 'the path is not valid.' })
    throw error
  }
}

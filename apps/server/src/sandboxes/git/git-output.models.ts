import type { GitChange, GitDiff, GitFile, GitTree } from '@threadbox/protocol/public'
import { maxGitFiles } from '@threadbox/protocol/public'

/** What a program printed. It comes out of a sandbox: nothing of it is more than bytes. */
export type Printed = { bytes: Uint8Array; isCut: boolean }

/** More lines than anybody reads, and longer ones; what is left out is said. */
const mostDiffLines = 20_000
const longestLine = 2000

const notUtf8 = '\ufffd'

/** Fields that end with NUL. The last one of what was cut is not whole, and is left out. */
export function fieldsOf({ bytes }: Printed): string[] {
  const end = bytes.lastIndexOf(0)
  return end < 0 ? [] : new TextDecoder().decode(bytes.subarray(0, end)).split('\0')
}

type Head = Pick<GitTree, 'branch' | 'commit' | 'upstream' | 'ahead' | 'behind'>

/** `git status --porcelain=v2 --branch -z`: where the tree stands, and what git does not follow. */
export function statusOf(printed: Printed): { head: Head; untracked: string[] } {
  const head: Head = { branch: null, commit: null, upstream: null, ahead: 0, behind: 0 }
  const untracked: string[] = []
  for (const field of fieldsOf(printed)) {
    if (field.startsWith('? ')) untracked.push(field.slice(2))
    const [, name, value = ''] = /^# branch\.(\w+) (.*)$/s.exec(field) ?? []
    if (name === 'oid' && value !== '(initial)') head.commit = value
    if (name === 'head' && value !== '(detached)') head.branch = value
    if (name === 'upstream') head.upstream = value
    const [, ahead, behind] = name === 'ab' ? (/^\+(\d+) -(\d+)$/.exec(value) ?? []) : []
    if (ahead !== undefined) Object.assign(head, { ahead: Number(ahead), behind: Number(behind) })
  }
  return { head, untracked }
}

const changes: Record<string, GitChange> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type-changed',
  U: 'conflicted',
}

/** `git diff --raw --numstat -z`: first what became of each file, then how many lines. */
export function changedOf(printed: Printed): GitFile[] {
  const fields = fieldsOf(printed)
  const files = new Map<string, GitFile>()
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    const status = /^:\d+ \d+ \S+ \S+ ([A-Z])\d*$/.exec(field)?.[1]
    const count = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field)
    if (status !== undefined) {
      const hasTwoNames = status === 'R' || status === 'C'
      const from = hasTwoNames ? (fields[at + 1] ?? '') : null
      at += hasTwoNames ? 2 : 1
      const path = fields[at]
      if (path === undefined) break
      // A file in conflict is named a second time, as changed.
      if (files.get(path)?.change === 'conflicted') continue
      const change = changes[status] ?? 'modified'
      files.set(path, { path, from, change, isBinary: false, addedLines: null, removedLines: null })
    } else if (count !== null) {
      const isRenamed = count[3] === ''
      if (isRenamed) at += 2
      const file = files.get((isRenamed ? fields[at] : count[3]) ?? '')
      if (file === undefined) continue
      if (count[1] === '-') file.isBinary = true
      else Object.assign(file, { addedLines: Number(count[1]), removedLines: Number(count[2]) })
    }
  }
  return [...files.values()]
}

/** Where the tree stands and which files are not as the last commit has them. */
export function treeOf(root: string, printed: { status: Printed; changed: Printed }): GitTree {
  const { head, untracked } = statusOf(printed.status)
  const tracked = changedOf(printed.changed)
  const known = new Set(tracked.map(({ path }) => path))
  const fresh = untracked
    .filter((path) => !known.has(path))
    .map(
      (path): GitFile => ({
        path,
        from: null,
        change: 'untracked',
        isBinary: false,
        addedLines: null,
        removedLines: null,
      }),
    )
  const all = [...tracked, ...fresh]
  const readable = all.filter(({ path, from }) => !path.includes(notUtf8) && !from?.includes(notUtf8))
  const files = readable.toSorted((one, other) => (one.path < other.path ? -1 : 1)).slice(0, maxGitFiles)
  const isCut = printed.status.isCut || printed.changed.isCut
  return {
    root,
    ...head,
    files,
    moreFiles: isCut ? null : all.length - files.length,
    unreadableNames: all.length - readable.length,
  }
}

/** Folders of repositories out of the paths of what makes them some; the nearest first. */
export function repositoriesIn(printed: Printed): string[] {
  const depth = (path: string) => path.split('/').length
  return fieldsOf(printed)
    .filter((path) => path.endsWith('/.git') && !path.includes(notUtf8))
    .map((path) => path.slice(0, -'/.git'.length) || '/')
    .toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
}

/** The hunks of `git diff` of one file. Of a rename that git does not see as one there are two parts. */
export function diffIn({ bytes, isCut }: Printed): GitDiff {
  const decoded = new TextDecoder().decode(bytes)
  const lines = decoded.split('\n')
  // The last line of what was cut is not whole; otherwise it is what follows the last line end.
  const partial = lines.pop() ?? ''
  if (!isCut && partial !== '') lines.push(partial)
  const hunks: string[] = []
  const found = { isBinary: false, addedLines: 0, removedLines: 0, isShortened: false, before: '', after: '' }
  let isInHunk = false
  for (const line of lines) {
    if (line.startsWith('diff ')) isInHunk = false
    if (line.startsWith('@@ ')) isInHunk = true
    if (isInHunk) {
      if (hunks.length >= mostDiffLines) {
        found.isShortened = true
        break
      }
      if (line.startsWith('+')) found.addedLines += 1
      if (line.startsWith('-')) found.removedLines += 1
      if (line.length > longestLine) found.isShortened = true
      hunks.push(line.slice(0, longestLine))
    } else if (line.startsWith('Binary files ')) found.isBinary = true
    else if (line.startsWith('old mode ')) found.before = line.slice(9)
    else if (line.startsWith('new mode ')) found.after = line.slice(9)
  }
  const { before, after, isShortened, ...rest } = found
  return {
    ...rest,
    modes: before === '' || after === '' ? null : { before, after },
    diff: hunks.length === 0 ? '' : `${hunks.join('\n').toWellFormed()}\n`,
    isCut: isCut || isShortened,
  }
}

import type { GitChange, GitDiff, GitFile, GitTree } from '@threadbox/protocol/public'
import { maxGitFiles } from '@threadbox/protocol/public'

/** Output of a program in a sandbox: unverified bytes. */
export type GitOutput = { bytes: Uint8Array; isCut: boolean }

/** More lines than people read, and longer ones. Cuts are reported. */
const mostDiffLines = 20_000
const longestLine = 2000

const notUtf8 = '\ufffd'

/** Fields that end with NUL. The last field of cut output is incomplete and left out. */
export function fieldsOf({ bytes }: GitOutput): string[] {
  const end = bytes.lastIndexOf(0)
  return end < 0 ? [] : new TextDecoder().decode(bytes.subarray(0, end)).split('\0')
}

type Head = Pick<GitTree, 'branch' | 'commit' | 'upstream' | 'ahead' | 'behind'>

/** Parses `git status --porcelain=v2 --branch -z`: the branch state and the untracked files. */
export function statusOf(printed: GitOutput): { head: Head; untracked: string[] } {
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

/** Parses `git diff --raw --numstat -z`: first the change of each file, then its numbers of lines. */
export function changedOf(printed: GitOutput): GitFile[] {
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
      // A file in conflict is listed a second time, as changed.
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

/** The branch state, and the files that differ from the last commit. */
export function treeOf(root: string, printed: { status: GitOutput; changed: GitOutput }): GitTree {
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

/** Folders of repositories, from the paths of their `.git`; the nearest first. */
export function repositoriesIn(printed: GitOutput): string[] {
  const depth = (path: string) => path.split('/').length
  return fieldsOf(printed)
    .filter((path) => path.endsWith('/.git') && !path.includes(notUtf8))
    .map((path) => path.slice(0, -'/.git'.length) || '/')
    .toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
}

/** The hunks of `git diff` of one file. A rename that git does not detect has two parts. */
export function diffIn({ bytes, isCut }: GitOutput): GitDiff {
  const decoded = new TextDecoder().decode(bytes)
  const lines = decoded.split('\n')
  // The last line of cut output is incomplete. Otherwise, it is what follows the last line end.
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

import { filesystem } from '@threadbox/protocol/guest'
import { type GitDiff, type GitLook, type GitTree, maxGitRepositories } from '@threadbox/protocol/public'
import { onPath } from '../files/path-errors.ts'
import type { AwakeSandbox } from '../state/sandbox-access.ts'
import { fileRefused, sandboxNotAwake } from '../state/sandboxes.errors.ts'
import { gitFailed, gitMissing } from './git.errors.ts'
import { diffIn, type GitOutput, repositoriesIn, statusOf, treeOf } from './git-output.logic.ts'
import { type GitResult, runInside } from './run-git.ts'

/**
 * Changes in repositories of a sandbox, read with the sandbox’s git. Reading wakes nothing and changes nothing. Both
 * throw `sandbox.not-awake`, `git.failed`, `git.missing`, `git.too-slow`.
 */
export type Git = {
  /** Returns the working tree of `repository`, or else of the nearest one. Throws `file.not-found`, `file.refused`. */
  inspect(
    threadId: string,
    options: { path: string; repository: string | undefined; signal: AbortSignal },
  ): Promise<GitLook>
  diff(
    threadId: string,
    options: { root: string; file: string; from: string | undefined; signal: AbortSignal },
  ): Promise<GitDiff>
}

const maxListBytes = 4 * 1024 * 1024
const maxDiffBytes = 1024 * 1024
/** Maximum depth of the search for repositories below a folder. */
const searchDepth = 6
/** Folders that tools fill: repositories in them are the tools’ own. */
const skippedFolders = ['node_modules', '.cache', '.cargo', '.npm', '.venv', 'site-packages']

/** Prevents settings of the repository and the user from changing the output or running programs. */
const settings = ['core.fsmonitor=false', 'core.quotePath=false', 'diff.orderFile=/dev/null', 'diff.interHunkContext=0']
const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-relative', '--ignore-submodules=dirty']
const renames = ['-M', '-l1000']
const patch = ['--patch', '--unified=3', '--submodule=short', '--src-prefix=a/', '--dst-prefix=b/']

export function makeGit(options: {
  ifAwake: (threadId: string) => Promise<AwakeSandbox | undefined>
  stateOf: (threadId: string) => Promise<string>
}): Git {
  const awake = async (threadId: string) => {
    const sandbox = await options.ifAwake(threadId)
    if (sandbox === undefined) throw sandboxNotAwake({ state: await options.stateOf(threadId) })
    return sandbox
  }
  return {
    inspect: async (threadId, { path, repository, signal }) => {
      const sandbox = await awake(threadId)
      await requireFolder(sandbox, path)
      const [found, own] = await Promise.all([search(sandbox, path, signal), rootAbove(sandbox, path, signal)])
      const repositories = own === undefined ? found.roots : [own, ...found.roots.filter((root) => root !== own)]
      const wanted = repository === undefined ? undefined : await rootAbove(sandbox, repository, signal)
      const root = wanted ?? repository ?? repositories[0]
      return {
        repositories: repositories.slice(0, maxGitRepositories),
        areAllFound: found.isWhole && repositories.length <= maxGitRepositories,
        tree: root === undefined ? null : await readTree(sandbox, root, signal),
      }
    },
    diff: async (threadId, { root, file, from, signal }) => {
      const sandbox = await awake(threadId)
      const git = gitIn(sandbox, { root, signal })
      const status = requireWhole(await git(['status', ...statusOptions, '--', file], maxListBytes))
      const { head, untracked } = statusOf(status)
      if (untracked.includes(file)) {
        // Exit code 1 means that there is a difference.
        const shown = await git(['diff', '--no-index', ...plain, ...patch, '--', '/dev/null', file], maxDiffBytes)
        return diffIn(shown.exitCode === 1 ? shown : requireWhole(shown))
      }
      const base = await baseOf(git, head.commit)
      const names = from === undefined ? [file] : [file, from]
      return diffIn(
        requireWhole(await git(['diff', ...plain, ...renames, ...patch, base, '--', ...names], maxDiffBytes)),
      )
    },
  }
}

const statusOptions = ['--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=dirty']

type RunGit = (args: readonly string[], maxBytes: number) => Promise<GitResult>

function gitIn(sandbox: AwakeSandbox, { root, signal }: { root: string; signal: AbortSignal }): RunGit {
  const options = ['--literal-pathspecs', '-C', root, ...settings.flatMap((setting) => ['-c', setting])]
  return (args, maxBytes) => runInside(sandbox, { argv: ['git', ...options, ...args], maxBytes, signal })
}

async function readTree(sandbox: AwakeSandbox, root: string, signal: AbortSignal): Promise<GitTree> {
  const git = gitIn(sandbox, { root, signal })
  const status = requireWhole(await git(['status', ...statusOptions, '--no-renames'], maxListBytes))
  const base = await baseOf(git, statusOf(status).head.commit)
  const changed = await git(['diff', ...plain, ...renames, '--raw', '--numstat', '-z', base], maxListBytes)
  return treeOf(root, { status, changed: requireWhole(changed) })
}

/** What the tree is compared with: the last commit, or an empty tree if there is none yet. */
async function baseOf(git: RunGit, commit: string | null): Promise<string> {
  if (commit !== null) return 'HEAD'
  const { bytes } = requireWhole(await git(['hash-object', '-t', 'tree', '/dev/null'], 200))
  return Buffer.from(bytes).toString('latin1').trim()
}

async function rootAbove(sandbox: AwakeSandbox, path: string, signal: AbortSignal): Promise<string | undefined> {
  const ran = await gitIn(sandbox, { root: path, signal })(['rev-parse', '--show-toplevel'], 5000)
  requireGit(ran)
  const root = new TextDecoder().decode(ran.bytes).replace(/\n$/, '')
  return ran.exitCode === 0 && root.startsWith('/') ? root : undefined
}

async function search(
  sandbox: AwakeSandbox,
  path: string,
  signal: AbortSignal,
): Promise<{ roots: string[]; isWhole: boolean }> {
  const names = skippedFolders.flatMap((name, index) => (index === 0 ? ['-name', name] : ['-o', '-name', name]))
  const tests = ['(', ...names, ')', '-prune', '-o', '-name', '.git', '-prune', '-print0']
  const argv = ['find', path, '-xdev', '-maxdepth', String(searchDepth), ...tests]
  // The exit code of `find` shows only that it could not read a folder.
  const printed = await runInside(sandbox, { argv, maxBytes: 256 * 1024, signal })
  return { roots: repositoriesIn(printed), isWhole: !printed.isCut && printed.exitCode !== null }
}

async function requireFolder(sandbox: AwakeSandbox, path: string): Promise<void> {
  const { entry } = await onPath(path, sandbox.files.stat({ path }))
  if (entry?.type !== filesystem.FileType.DIRECTORY) throw fileRefused({ path, problem: 'it is not a folder.' })
}

function requireGit(ran: GitResult): void {
  if (ran.exitCode === 127) throw gitMissing({})
}

/** Git’s output, if git succeeded or was killed because it printed too much. */
function requireWhole(ran: GitResult): GitOutput {
  requireGit(ran)
  if (ran.exitCode === 0 || ran.isCut) return ran
  throw gitFailed({ problem: ran.errors.replace(/\p{Cc}+/gu, ' ').trim() || `exit code ${ran.exitCode}` })
}

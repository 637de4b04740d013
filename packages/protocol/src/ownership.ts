/**
 * The only place that decides what in a sandbox belongs to threadbox. Connections:
 * `apps/guest/src/manifest/own-sockets.ts`.
 */

/** Directories in a sandbox that threadbox uses. Nothing else in their parents is its own. */
export const threadboxDirectories = {
  /** Read-only: the guest’s programs. */
  program: '/.guest',
  /** In memory: pipes and sockets. */
  scratch: '/dev/.threadbox',
  /** On the disk: shell sessions, service logs, output, rescued variables. */
  state: '/var/lib/threadbox',
  /** On the disk: output that is too long for the conversation, for the agent to read. */
  outputs: '/home/user/.threadbox',
} as const

/** A link to the guest’s own `df`, which precedes the image’s on every search path. */
export const ownDf = '/usr/local/bin/df'

/**
 * Files that IPython writes for the kernel that threadbox starts: with each cell, and once with a disk’s first kernel.
 */
const kernelFiles =
  /^\/home\/[^/]+\/\.ipython(?:$|\/(?:profile_default(?:$|\/(?:history\.sqlite(?:-\w+)?$|startup(?:$|\/README$)|(?:db|log|pid|security)(?:$|\/))))|(?:extensions|nbextensions)$)/

/**
 * Whether a file or directory of a sandbox belongs to threadbox, and not to the people and programs that use it. Such a
 * file is in no survival report, no comparison before a rewind, no list of changed files and no list of what an agent
 * contains.
 */
export function isThreadboxFile(path: string): boolean {
  const absolute = path.startsWith('/') ? path : `/${path}`
  return (
    Object.values(threadboxDirectories).some((own) => absolute === own || absolute.startsWith(`${own}/`)) ||
    absolute === ownDf ||
    kernelFiles.test(absolute)
  )
}

/** Set by the guest for everything it starts. */
const threadboxVariables = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0']

/** Whether threadbox itself sets an environment variable. */
export function isThreadboxVariable(name: string): boolean {
  return name.startsWith('THREADBOX_') || threadboxVariables.includes(name)
}

/**
 * Kernels and shells that run cells and commands, or wait for them: reports show their content as variables and
 * session.
 */
export function isThreadboxProcess({ role }: { role: string }): boolean {
  return role === 'kernel' || role === 'shell'
}

/** What in a sandbox belongs to threadbox, decided here and nowhere else. Connections: `apps/guest/src/manifest/own-sockets.ts`. */

/** Where threadbox keeps what it needs inside a sandbox. Nothing else in there is its own. */
export const threadboxDirectories = {
  /** Read-only: the guest's programs. */
  program: '/.guest',
  /** In memory: pipes and sockets. */
  scratch: '/dev/.threadbox',
  /** On the disk: shell sessions, logs of services, output, variables that were rescued. */
  state: '/var/lib/threadbox',
  /** On the disk: output that is too long for the conversation, for the agent to read. */
  outputs: '/home/user/.threadbox',
} as const

/** A link to the guest's own `df`, which comes before the image's on every search path. */
export const ownDf = '/usr/local/bin/df'

/** What IPython writes for the kernel that threadbox starts: with each cell, and once with the first kernel of a disk. */
const kernelFiles =
  /^\/home\/[^/]+\/\.ipython(?:$|\/(?:profile_default(?:$|\/(?:history\.sqlite(?:-\w+)?$|startup(?:$|\/README$)|(?:db|log|pid|security)(?:$|\/))))|(?:extensions|nbextensions)$)/

/**
 * Whether a file or directory of a sandbox belongs to threadbox itself, and not to the people and programs that use it. Such
 * a one is in no survival report, no comparison before a rewind, no list of changed files and no list of what an agent brings.
 */
export function isThreadboxFile(path: string): boolean {
  const absolute = path.startsWith('/') ? path : `/${path}`
  return (
    Object.values(threadboxDirectories).some((own) => absolute === own || absolute.startsWith(`${own}/`)) ||
    absolute === ownDf ||
    kernelFiles.test(absolute)
  )
}

/** Set by the guest for everything that it starts. */
const threadboxVariables = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0']

/** Whether threadbox itself has set a variable of the environment. */
export function isThreadboxVariable(name: string): boolean {
  return name.startsWith('THREADBOX_') || threadboxVariables.includes(name)
}

/** Kernels and shells that wait for, or run, cells and commands: what matters of them is told as variables and session. */
export function isThreadboxProcess({ role }: { role: string }): boolean {
  return role === 'kernel' || role === 'shell'
}

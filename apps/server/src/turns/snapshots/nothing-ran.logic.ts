import type { Manifest } from '@threadbox/protocol/guest'

/** Belong to threadbox: without a command in progress, a shell only waits; what a session holds is on the disk. */
const ownRoles = new Set(['shell', 'kernel'])

/**
 * Returns true if memory holds nothing of the user's, so that a rewind restores everything from files alone. What the
 * guest didn’t describe counts as running. Segments of System V shared memory without a process are not counted: the
 * sandbox’s kernel doesn’t list them.
 */
export function nothingRan(manifest: Manifest): boolean {
  const { processes, processesLeftOut = 0, kernels, memoryFiles, deletedOpenFiles, runsInProgress } = manifest
  return (
    manifest.unread.every(({ part }) => part === 'packages') &&
    runsInProgress === 0 &&
    processesLeftOut === 0 &&
    processes.every(({ role }) => ownRoles.has(role)) &&
    kernels.every((kernel) => kernel.isUsed === false && kernel.state === 'idle' && kernel.variables.length === 0) &&
    memoryFiles.length === 0 &&
    deletedOpenFiles.length === 0
  )
}

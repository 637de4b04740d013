import { defineError } from '@threadbox/errors'
import { type MemoryProblem, pauseAbandonedCode } from '@threadbox/protocol/host'

/** What requests get while memory is being saved; whoever sent one waits for the pause and wakes the sandbox. */
export const sandboxPausing = defineError({
  code: 'sandbox.pausing',
  kind: 'unavailable',
  message: () => 'The sandbox is being paused.',
  remedy: () => 'Wake it; the order waits until the pause is finished.',
})

export const sandboxPaused = defineError({
  code: 'sandbox.paused',
  kind: 'conflict',
  message: () => 'The sandbox is paused.',
  remedy: () => 'Wake it first.',
})

export const sandboxNotPaused = defineError({
  code: 'sandbox.not-paused',
  kind: 'conflict',
  message: () => 'The sandbox is not paused, so it has no saved memory to give up.',
  remedy: () => 'Pause it first, or stop it.',
})

export const pauseUnsupported = defineError<{ driver: string }>({
  code: 'sandbox.pause-unsupported',
  kind: 'unsupported',
  message: ({ driver }) => `Sandboxes of ${driver} cannot be paused.`,
  remedy: () => 'Stop the sandbox: its files are kept.',
})

/** The sandbox goes on as if nothing had happened, unless `isRunning` says that it ended under the attempt. */
export const pauseFailed = defineError<{ reason: string; isRunning: boolean }>({
  code: 'sandbox.pause-failed',
  kind: 'unavailable',
  message: ({ reason, isRunning }) =>
    `The sandbox could not be paused${isRunning ? ' and goes on' : '; it has ended'}: ${reason}`,
  remedy: () => 'Look at the space in the pool; `threadbox doctor` says what is short.',
})

/** Nothing failed: somebody wanted the boot while its memory was being saved, and it goes on. */
export const pauseAbandoned = defineError({
  code: pauseAbandonedCode,
  kind: 'conflict',
  message: () => 'The pause was given up, because the sandbox was wanted meanwhile.',
  remedy: () => 'Pause it again when nobody needs it.',
})

export const noRoomForMemory = defineError<{ neededBytes: number; availableBytes: number }>({
  code: 'sandbox.no-room-for-memory',
  kind: 'out-of-space',
  message: ({ neededBytes, availableBytes }) =>
    `Saving the memory of the sandbox takes ${mebibytes(neededBytes)} MiB; ${mebibytes(availableBytes)} MiB are free in the pool.`,
  remedy: () => 'Delete threads that are no longer needed, or give threadbox a larger pool (THREADBOX_POOL_SIZE).',
})

/** The saved memory is gone now; the disk is as it was. */
export const memoryUnusable = defineError<{ reason: MemoryProblem; detail: string }>({
  code: 'sandbox.memory-unusable',
  kind: 'conflict',
  message: ({ reason, detail }) => `What the sandbox had in memory cannot be used any more (${reason}): ${detail}`,
  remedy: () => 'Start the sandbox from its disk: its files are kept.',
})

export const hostNoMemory = defineError<{ neededBytes: number; availableBytes: number; awakeSandboxes: number }>({
  code: 'host.no-memory',
  kind: 'exhausted',
  message: ({ neededBytes, availableBytes, awakeSandboxes }) =>
    `The sandbox needs ${mebibytes(neededBytes)} MiB of memory; ${mebibytes(availableBytes)} MiB are free, and ` +
    `${awakeSandboxes} sandboxes are awake.`,
  remedy: () => 'Pause a sandbox that is not needed now, or wait until one is.',
})

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024))
}

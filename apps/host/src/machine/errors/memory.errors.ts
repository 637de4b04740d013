import { defineError } from '@threadbox/errors'
import { type MemoryProblem, pauseAbandonedCode } from '@threadbox/protocol/host'

/** The error for requests while memory is being saved; the caller waits for the pause and then wakes the sandbox. */
export const sandboxPausing = defineError({
  code: 'sandbox.pausing',
  kind: 'unavailable',
  message: () => 'The sandbox is pausing.',
  remedy: () => 'Wake it. The request waits until the pause has finished.',
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
  message: () => 'The sandbox isn’t paused, so it has no saved memory to discard.',
  remedy: () => 'Pause it first, or stop it.',
})

export const pauseUnsupported = defineError<{ driver: string }>({
  code: 'sandbox.pause-unsupported',
  kind: 'unsupported',
  message: ({ driver }) => `${driver} sandboxes can’t be paused.`,
  remedy: () => 'Stop the sandbox. Its files are kept.',
})

/** The sandbox keeps running as if nothing had happened, unless `isRunning` says that it ended during the attempt. */
export const pauseFailed = defineError<{ reason: string; isRunning: boolean }>({
  code: 'sandbox.pause-failed',
  kind: 'unavailable',
  message: ({ reason, isRunning }) =>
    `Couldn’t pause the sandbox; it ${isRunning ? 'keeps running' : 'has stopped'}: ${reason}`,
  remedy: () => 'Check the free space in the disk pool; `threadbox doctor` reports what’s low.',
})

/** Nothing failed: a caller needed the boot while its memory was being saved, and it keeps running. */
export const pauseAbandoned = defineError({
  code: pauseAbandonedCode,
  kind: 'conflict',
  message: () => 'The pause was canceled because the sandbox was needed.',
  remedy: () => 'Pause it again later.',
})

export const noRoomForMemory = defineError<{ neededBytes: number; availableBytes: number }>({
  code: 'sandbox.no-room-for-memory',
  kind: 'out-of-space',
  message: ({ neededBytes, availableBytes }) =>
    `Saving the sandbox’s memory needs ${mebibytes(neededBytes)} MiB, but only ${mebibytes(availableBytes)} MiB ` +
    'are free in the disk pool.',
  remedy: () => 'Delete threads you don’t need, or enlarge the pool (THREADBOX_POOL_SIZE).',
})

/** The saved memory is gone; the disk is unchanged. */
export const memoryUnusable = defineError<{ reason: MemoryProblem; detail: string }>({
  code: 'sandbox.memory-unusable',
  kind: 'conflict',
  message: ({ reason, detail }) => `The sandbox’s saved memory can’t be used (${reason}): ${detail}`,
  remedy: () =>
    'Start the sandbox from its disk. Its files are kept; what was only in memory, such as running programs, is lost.',
})

export const hostNoMemory = defineError<{ neededBytes: number; availableBytes: number; awakeSandboxes: number }>({
  code: 'host.no-memory',
  kind: 'exhausted',
  message: ({ neededBytes, availableBytes, awakeSandboxes }) =>
    `The sandbox needs ${mebibytes(neededBytes)} MiB of memory, but only ${mebibytes(availableBytes)} MiB are ` +
    `free with ${awakeSandboxes} sandboxes awake.`,
  remedy: () => 'Pause a sandbox you don’t need, or wait until one pauses.',
})

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024))
}

import { defineError } from '@threadbox/errors'
import type { MemoryImageProblem } from './sandbox-driver.ts'

export const bootRunning = defineError<{ bootId: string }>({
  code: 'driver.boot-running',
  kind: 'conflict',
  message: ({ bootId }) => `The boot ${bootId} is still running, so its records cannot be removed.`,
  remedy: () => 'Stop the boot first.',
})

export const bootNotRunning = defineError<{ bootId: string }>({
  code: 'driver.boot-not-running',
  kind: 'conflict',
  message: ({ bootId }) => `The boot ${bootId} is not running.`,
  remedy: () => 'Start the sandbox again.',
})

export const bootUsed = defineError<{ bootId: string }>({
  code: 'driver.boot-used',
  kind: 'conflict',
  message: ({ bootId }) => `The boot ${bootId} has ended, and a boot id is used once.`,
  remedy: () => 'Start the sandbox under a new boot id.',
})

export const bootUnknown = defineError<{ bootId: string }>({
  code: 'driver.boot-unknown',
  kind: 'not-found',
  message: ({ bootId }) => `Nothing is known of the boot ${bootId}.`,
  remedy: () => 'Start the sandbox again.',
})

export const bootFailed = defineError<{ bootId: string; reason: string }>({
  code: 'driver.boot-failed',
  kind: 'unavailable',
  message: ({ reason }) => `The sandbox could not be started: ${reason}`,
  remedy: () => 'Run `threadbox doctor`: it starts a sandbox and names what is missing.',
})

export const memoryNotSaved = defineError<{ bootId: string; reason: string }>({
  code: 'driver.memory-not-saved',
  kind: 'unavailable',
  message: ({ reason }) => `The memory of the sandbox could not be saved: ${reason}`,
  remedy: () => 'The sandbox goes on. Look at the space on the disk; `threadbox doctor` says what is short.',
})

export const memoryUnusable = defineError<{ problem: MemoryImageProblem; detail: string }>({
  code: 'driver.memory-unusable',
  kind: 'conflict',
  message: ({ problem, detail }) => `The saved memory of the sandbox cannot be used (${problem}): ${detail}`,
  remedy: () => 'Start the sandbox from its disk.',
})

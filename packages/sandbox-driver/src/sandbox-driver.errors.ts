import { defineError } from '@threadbox/errors'
import type { MemoryImageProblem } from './sandbox-driver.ts'

export const bootRunning = defineError<{ bootId: string }>({
  code: 'driver.boot-running',
  kind: 'conflict',
  message: ({ bootId }) => `Can’t remove the records of boot ${bootId}: it’s still running.`,
  remedy: () => 'Stop the boot first.',
})

export const bootNotRunning = defineError<{ bootId: string }>({
  code: 'driver.boot-not-running',
  kind: 'conflict',
  message: ({ bootId }) => `Boot ${bootId} is not running.`,
  remedy: () => 'Start the sandbox again.',
})

export const bootUsed = defineError<{ bootId: string }>({
  code: 'driver.boot-used',
  kind: 'conflict',
  message: ({ bootId }) => `Boot ${bootId} has already ended. A boot ID can be used only once.`,
  remedy: () => 'Start the sandbox with a new boot ID.',
})

export const bootUnknown = defineError<{ bootId: string }>({
  code: 'driver.boot-unknown',
  kind: 'not-found',
  message: ({ bootId }) => `Boot ${bootId} not found.`,
  remedy: () => 'Start the sandbox again.',
})

export const bootFailed = defineError<{ bootId: string; reason: string }>({
  code: 'driver.boot-failed',
  kind: 'unavailable',
  message: ({ reason }) => `Couldn’t start the sandbox: ${reason}`,
  remedy: () => 'Run `threadbox doctor`. It starts a test sandbox and reports what’s missing.',
})

export const memoryNotSaved = defineError<{ bootId: string; reason: string }>({
  code: 'driver.memory-not-saved',
  kind: 'unavailable',
  message: ({ reason }) => `Couldn’t save the sandbox’s memory: ${reason}`,
  remedy: () => 'The sandbox keeps running. Check the free disk space; `threadbox doctor` reports what’s low.',
})

export const memoryUnusable = defineError<{ problem: MemoryImageProblem; detail: string }>({
  code: 'driver.memory-unusable',
  kind: 'conflict',
  message: ({ problem, detail }) => `Can’t use the sandbox’s saved memory (${problem}): ${detail}`,
  remedy: () => 'Start the sandbox from its disk.',
})

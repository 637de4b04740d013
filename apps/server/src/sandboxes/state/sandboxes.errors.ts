import { defineError } from '@threadbox/errors'

export const sandboxNotReady = defineError<{ state: string }>({
  code: 'sandbox.not-ready',
  kind: 'unavailable',
  message: ({ state }) => `The sandbox isn’t ready: it is ${state}.`,
  remedy: () => 'Try again in a moment.',
})

export const sandboxDiskFull = defineError<{ path: string }>({
  code: 'sandbox.disk-full',
  kind: 'out-of-space',
  message: ({ path }) => `Couldn’t write ${path}: the sandbox’s disk is full.`,
  remedy: () => 'Delete files in the sandbox, or raise its disk limit in Settings.',
})

export const fileRefused = defineError<{ path: string; problem: string }>({
  code: 'file.refused',
  kind: 'invalid',
  message: ({ path, problem }) => `Can’t use ${path}: ${problem}`,
  remedy: () => 'Check the path and its permissions.',
})

export const sandboxTurnRunning = defineError({
  code: 'sandbox.turn-running',
  kind: 'conflict',
  message: () => 'Can’t pause the sandbox while the agent is responding.',
  remedy: () => 'Wait until it finishes, or stop it first.',
})

export const sandboxNotAwake = defineError<{ state: string }>({
  code: 'sandbox.not-awake',
  kind: 'conflict',
  message: ({ state }) => `The sandbox must be awake for this. It is ${state}.`,
  remedy: () => 'Wake it first.',
})

export const waitCanceled = defineError({
  code: 'sandbox.wait-given-up',
  kind: 'interrupted',
  message: () => 'The request was canceled while it waited for the sandbox to start.',
  remedy: () => 'Send the request again.',
})

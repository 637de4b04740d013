import { defineError } from '@threadbox/errors'

export const sandboxNotReady = defineError<{ state: string }>({
  code: 'sandbox.not-ready',
  kind: 'unavailable',
  message: ({ state }) => `The sandbox cannot be used right now: it is ${state}.`,
  remedy: () => 'Try again in a moment.',
})

export const sandboxDiskFull = defineError<{ path: string }>({
  code: 'sandbox.disk-full',
  kind: 'out-of-space',
  message: ({ path }) => `${path} was not written: the disk of the sandbox is full.`,
  remedy: () => 'Delete files in the sandbox, or raise its disk limit in the settings.',
})

export const fileRefused = defineError<{ path: string; problem: string }>({
  code: 'file.refused',
  kind: 'invalid',
  message: ({ path, problem }) => `${path} could not be used: ${problem}`,
  remedy: () => 'Check the path and its permissions.',
})

export const sandboxTurnRunning = defineError({
  code: 'sandbox.turn-running',
  kind: 'conflict',
  message: () => 'The sandbox was not paused: an answer is being made in it.',
  remedy: () => 'Wait until it is done, or stop it first.',
})

export const sandboxNotAwake = defineError<{ state: string }>({
  code: 'sandbox.not-awake',
  kind: 'conflict',
  message: ({ state }) => `This needs a sandbox that is awake; it is ${state}.`,
  remedy: () => 'Wake it first.',
})

export const waitGivenUp = defineError({
  code: 'sandbox.wait-given-up',
  kind: 'interrupted',
  message: () => 'The sandbox was not started: whoever waited for a place has given up.',
  remedy: () => 'Send the request again.',
})

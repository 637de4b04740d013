import { defineError } from '@threadbox/errors'

export const diskNotCleaned = defineError<{ problem: string }>({
  code: 'environment.not-cleaned',
  kind: 'internal',
  message: ({ problem }) => `Couldn’t scan the copy: ${problem}`,
  remedy: () => 'Try again. If it happens again, check the host daemon’s log.',
})

export const memoryNotSearched = defineError<{ problem: string }>({
  code: 'environment.not-searched',
  kind: 'internal',
  message: ({ problem }) => `Couldn’t search the copy’s memory: ${problem}`,
  remedy: () => 'Try again. If it happens again, check the host daemon’s log.',
})

export const diskInUse = defineError<{ sandboxId: string }>({
  code: 'environment.in-use',
  kind: 'conflict',
  message: ({ sandboxId }) => `The disk of ${sandboxId} is in use.`,
  remedy: () => 'Stop the sandbox first.',
})

export const diskNotPacked = defineError<{ problem: string }>({
  code: 'environment.not-packed',
  kind: 'internal',
  message: ({ problem }) => `Couldn’t pack the disk: ${problem}`,
  remedy: () => 'Try again. If it happens again, check the host daemon’s log.',
})

export const diskNotUnpacked = defineError<{ problem: string }>({
  code: 'environment.not-unpacked',
  kind: 'invalid',
  message: ({ problem }) => `Couldn’t unpack the disk in the file, so nothing was imported: ${problem}`,
  remedy: () =>
    'Export it again and make sure the whole file is transferred. Only files exported by a threadbox ' +
    'installation are accepted.',
})

export const diskTooLarge = defineError<{ limitBytes: number }>({
  code: 'environment.disk-too-large',
  kind: 'too-large',
  message: ({ limitBytes }) =>
    `The disk in the file is larger than the limit for sandboxes here (${limitBytes} bytes).`,
  remedy: () => 'Raise the disk limit in Settings, or export the agent with fewer files.',
})

export const otherImage = defineError<{ wanted: string; present: string }>({
  code: 'environment.other-image',
  kind: 'conflict',
  message: ({ wanted, present }) => `The disk needs the base image ${wanted}, but this installation has ${present}.`,
  remedy: () => 'Update both installations to the same version, then export it again.',
})

export const sandboxIdTaken = defineError<{ sandboxId: string }>({
  code: 'environment.id-taken',
  kind: 'conflict',
  message: ({ sandboxId }) => `Sandbox ${sandboxId} already exists.`,
  remedy: () => 'Use another ID.',
})

import { defineError } from '@threadbox/errors'

export const diskNotCleaned = defineError<{ problem: string }>({
  code: 'environment.not-cleaned',
  kind: 'internal',
  message: ({ problem }) => `The copy could not be looked through: ${problem}`,
  remedy: () => 'Try again. If it happens again, look into the log of the host daemon.',
})

export const memoryNotSearched = defineError<{ problem: string }>({
  code: 'environment.not-searched',
  kind: 'internal',
  message: ({ problem }) => `The memory of the copy could not be looked through: ${problem}`,
  remedy: () => 'Try again. If it happens again, look into the log of the host daemon.',
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
  message: ({ problem }) => `The disk could not be packed: ${problem}`,
  remedy: () => 'Try again. If it happens again, look into the log of the host daemon.',
})

export const diskNotUnpacked = defineError<{ problem: string }>({
  code: 'environment.not-unpacked',
  kind: 'invalid',
  message: ({ problem }) => `The disk in the file could not be unpacked, and nothing of it is kept: ${problem}`,
  remedy: () => 'Export it again and see that the whole file arrives. A file that no installation exported is refused.',
})

export const diskTooLarge = defineError<{ limitBytes: number }>({
  code: 'environment.disk-too-large',
  kind: 'too-large',
  message: ({ limitBytes }) => `The disk in the file is larger than a sandbox may be here (${limitBytes} bytes).`,
  remedy: () => 'Raise the limit of disks in the settings, or export it with fewer files.',
})

export const otherImage = defineError<{ wanted: string; present: string }>({
  code: 'environment.other-image',
  kind: 'conflict',
  message: ({ wanted, present }) => `The disk belongs over the image ${wanted}; here is ${present}.`,
  remedy: () => 'Bring both installations to the same version and export it again.',
})

export const sandboxIdTaken = defineError<{ sandboxId: string }>({
  code: 'environment.id-taken',
  kind: 'conflict',
  message: ({ sandboxId }) => `There is a sandbox ${sandboxId} already.`,
  remedy: () => 'Use another id.',
})

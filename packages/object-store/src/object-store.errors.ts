import { defineError } from '@threadbox/errors'

export const storeNotAFolder = defineError<{ place: string }>({
  code: 'store.not-a-folder',
  kind: 'invalid',
  message: ({ place }) => `${place} is not a folder.`,
  remedy: () => 'Name an existing folder, such as one on another disk, or the address of a bucket (s3+https://…).',
})

export const storeReadOnly = defineError<{ place: string; reason: string }>({
  code: 'store.read-only',
  kind: 'forbidden',
  message: ({ place, reason }) => `threadbox can’t write to ${place}: ${reason}`,
  remedy: () => 'Give the server’s user the right to write there, or choose another place.',
})

export const storeOfOtherProgram = defineError<{ place: string }>({
  code: 'store.of-other-program',
  kind: 'conflict',
  message: ({ place }) => `${place} isn’t empty, and what is in it isn’t from threadbox.`,
  remedy: () => 'Choose an empty folder or bucket prefix. Nothing was changed.',
})

export const storeFormatNewer = defineError<{ place: string }>({
  code: 'store.format-newer',
  kind: 'unsupported',
  message: ({ place }) => `${place} was written by a newer version of threadbox.`,
  remedy: () => 'Upgrade threadbox, or choose another place. Nothing was changed.',
})

export const storeInsideInstallation = defineError<{ place: string }>({
  code: 'store.inside-installation',
  kind: 'invalid',
  message: ({ place }) => `${place} is inside the installation, so it would be lost together with it.`,
  remedy: () => 'Choose a folder on another disk, or a bucket.',
})

export const storeAddressInvalid = defineError<{ place: string }>({
  code: 'store.address-invalid',
  kind: 'invalid',
  message: ({ place }) => `${place} is not the address of a store.`,
  remedy: () => 'Use a full path such as /mnt/backup, or s3+https://HOST/BUCKET/PREFIX?region=REGION.',
})

export const storeUnreachable = defineError<{ place: string; reason: string }>({
  code: 'store.unreachable',
  kind: 'unavailable',
  message: ({ place, reason }) => `${place} doesn’t respond: ${reason}`,
  remedy: () => 'Check the address and the network, then run the command again. Nothing is lost.',
})

export const storeRefused = defineError<{ place: string; reason: string }>({
  code: 'store.refused',
  kind: 'forbidden',
  message: ({ place, reason }) => `${place} refused a request: ${reason}`,
  remedy: () => 'Check the access key and what it may do: read, write, list and delete below this prefix.',
})

export const storeNameInvalid = defineError<{ name: string }>({
  code: 'store.name-invalid',
  kind: 'internal',
  message: ({ name }) => `${name} is not a valid name of an object.`,
  remedy: () => 'This is a bug in threadbox. Report it with the request ID.',
})

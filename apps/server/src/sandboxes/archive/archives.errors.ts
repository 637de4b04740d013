import { defineError } from '@threadbox/errors'

export const archiveNotSetUp = defineError({
  code: 'archive.not-set-up',
  kind: 'conflict',
  message: () => 'This installation has no archive store.',
  remedy: () => 'Set THREADBOX_ARCHIVE_STORE to a folder on another disk or to a bucket, and restart threadbox.',
})

export const notArchivable = defineError<{ state: string }>({
  code: 'archive.not-asleep',
  kind: 'conflict',
  message: ({ state }) => `Only a sleeping sandbox with files can be archived. It is ${state}.`,
  remedy: () => 'Pause it, or wait until it sleeps.',
})

export const archiveUnreachable = defineError<{ reason: string }>({
  code: 'archive.store-unreachable',
  kind: 'unavailable',
  message: ({ reason }) => `The archive store can’t be used: ${reason}`,
  remedy: () => 'Try again when the store can be reached. Nothing is lost: the archived files are kept.',
})

export const archiveLost = defineError<{ reason: string }>({
  code: 'archive.files-lost',
  kind: 'conflict',
  message: ({ reason }) => `The sandbox’s archived files can’t be restored: ${reason} The conversation is kept.`,
  remedy: () => 'Ask an administrator to put the missing objects back into the archive store, then try again.',
})

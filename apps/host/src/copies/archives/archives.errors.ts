import { defineError } from '@threadbox/errors'

export const sandboxArchived = defineError<{ sandboxId: string }>({
  code: 'sandbox.archived',
  kind: 'conflict',
  message: ({ sandboxId }) => `Sandbox ${sandboxId} is archived: its files are not on this host.`,
  remedy: () => 'Restore it first.',
})

export const archivedDiskChanged = defineError<{ sandboxId: string }>({
  code: 'archive.disk-changed',
  kind: 'conflict',
  message: ({ sandboxId }) => `The disk of ${sandboxId} was written to while it was being archived, so it stays here.`,
  remedy: () => 'Archive it again when it is no longer used.',
})

export const archiveNoSpace = defineError<{ neededBytes: number; freeBytes: number }>({
  code: 'archive.no-space',
  kind: 'out-of-space',
  message: ({ neededBytes, freeBytes }) =>
    `The sandbox can’t be restored from the archive: it needs ${neededBytes} bytes on the host’s disk, and ${freeBytes} are free.`,
  remedy: () => 'Delete threads or snapshots, or enlarge the disk pool, then try again. The archived files are kept.',
})

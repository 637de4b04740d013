import { defineError } from '@threadbox/errors'

export const backupStatusDamaged = defineError<{ reason: string }>({
  code: 'backup.status-damaged',
  kind: 'internal',
  message: ({ reason }) => `The record of earlier backups can’t be read: ${reason}`,
  remedy: () => 'Run a backup: it starts a new record. The backups in the store are unchanged.',
})

export const backupSettingsDamaged = defineError<{ file: string; reason: string }>({
  code: 'backup.settings-damaged',
  kind: 'internal',
  message: ({ file, reason }) => `Where backups go can’t be read, so none are made: ${file} (${reason})`,
  remedy: () =>
    'Restore this file from a copy. Without one, remove it and run ./threadbox backup init with a new store.',
})

export const backupAlreadyRunning = defineError({
  code: 'backup.already-running',
  kind: 'conflict',
  message: () => 'A backup is already running.',
  remedy: () => 'Wait until it has finished. The machine page shows its progress.',
})

export const backupProgramEnded = defineError<{ reason: string }>({
  code: 'backup.program-ended',
  kind: 'interrupted',
  message: ({ reason }) => `The backup program ended before it had finished: ${reason}`,
  remedy: () => 'Check the server’s log, then run a backup. Earlier backups are unchanged.',
})

export const backupFailed = defineError<{ reason: string }>({
  code: 'backup.failed',
  kind: 'internal',
  message: ({ reason }) => `The backup failed: ${reason}`,
  remedy: () => 'Run ./threadbox doctor, then run a backup. Earlier backups are unchanged.',
})

export const backupsFoundDamaged = defineError<{ damaged: number; total: number }>({
  code: 'backup.found-damaged',
  kind: 'invalid',
  message: ({ damaged, total }) => `Of ${total} backups, ${damaged} are damaged.`,
  remedy: () => 'Run a backup, which stores what is missing. ./threadbox backup verify names what is damaged.',
})

import { defineError } from '@threadbox/errors'

export const recoveryKeyInvalid = defineError({
  code: 'backup.recovery-key-invalid',
  kind: 'invalid',
  message: () => 'This is not a recovery key, or a part of it is missing or mistyped.',
  remedy: () => 'Use the whole text that was shown when backups were set up. It begins with threadbox-recovery-1.',
})

export const recoveryKeyOther = defineError<{ place: string }>({
  code: 'backup.recovery-key-other',
  kind: 'forbidden',
  message: ({ place }) => `The backups in ${place} were made with another recovery key.`,
  remedy: () => 'Use the recovery key of the installation that wrote them. Without it, they can’t be read.',
})

export const backupNotSetUp = defineError({
  code: 'backup.not-set-up',
  kind: 'conflict',
  message: () => 'Backups are not set up.',
  remedy: () => 'Run ./threadbox backup init STORE.',
})

export const backupAlreadySetUp = defineError<{ place: string }>({
  code: 'backup.already-set-up',
  kind: 'conflict',
  message: ({ place }) => `Backups already go to ${place}.`,
  remedy: () => 'To use another key, remove the file backup.json in the folder of the server first.',
})

export const backupNotConfirmed = defineError({
  code: 'backup.not-confirmed',
  kind: 'conflict',
  message: () => 'The recovery key is not confirmed, so no backup is made that might never be readable.',
  remedy: () => 'Run ./threadbox backup confirm with the last 8 characters of the key that backup init showed.',
})

export const backupRunning = defineError<{ holder: string; until: string }>({
  code: 'backup.running',
  kind: 'conflict',
  message: ({ holder, until }) => `${holder} is using this store, until ${until} at the latest.`,
  remedy: () => 'Wait until it has finished. One that was ended is taken over at that time.',
})

export const backupLeaseLost = defineError({
  code: 'backup.lease-lost',
  kind: 'interrupted',
  message: () => 'Another writer took over the store, so this run ended without a backup.',
  remedy: () => 'Earlier backups are unchanged. Run it again after the other one.',
})

export const backupNotFound = defineError<{ name: string; place: string }>({
  code: 'backup.not-found',
  kind: 'not-found',
  message: ({ name, place }) => `${place} has no backup ${name}.`,
  remedy: () => 'List the backups with ./threadbox backup list.',
})

export const backupDamaged = defineError<{ name: string; reason: string }>({
  code: 'backup.damaged',
  kind: 'invalid',
  message: ({ name, reason }) => `The backup ${name} is damaged: ${reason}`,
  remedy: () => 'Restore another backup; ./threadbox backup verify says which ones are intact.',
})

export const sealedPartLost = defineError<{ part: number; state: string }>({
  code: 'archive.part-lost',
  kind: 'conflict',
  message: ({ part, state }) => `Part ${part} of the archived files is ${state} in the archive store.`,
  remedy: () => 'Put the objects of the archive store back, such as from a copy of it, then try again.',
})

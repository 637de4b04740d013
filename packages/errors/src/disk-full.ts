import { defineError, isThreadboxError } from './threadbox-error.ts'

export const machineDiskFull = defineError({
  code: 'machine.disk-full',
  kind: 'out-of-space',
  message: () => 'The host’s disk is full, so nothing new can be saved.',
  remedy: () => 'Free up space on the disk that holds the data directory (`df -h` shows it), then try again.',
})

/** The codes of the file system and the embedded database for a full disk. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

/**
 * Replaces an unexpected error whose cause the operator can remove with an error that says so; returns others
 * unchanged.
 */
export function withKnownCause(error: unknown): unknown {
  if (isThreadboxError(error)) return error
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    if (fullCodes.has((cause as Error & { code?: unknown }).code)) return machineDiskFull({}, { cause: error })
  }
  return error
}

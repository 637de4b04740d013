import { defineError, isThreadboxError } from './threadbox-error.ts'

export const machineDiskFull = defineError({
  code: 'machine.disk-full',
  kind: 'out-of-space',
  message: () => 'The host’s disk is full, so nothing new can be saved.',
  remedy: () => 'Free up space on the disk that holds the data directory (`df -h` shows it), then try again.',
})

/** What the file system and the embedded database say when there is no space left. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

/** An unforeseen error in words that help, where its cause is one that a person can remove; else the error as it is. */
export function withKnownCause(error: unknown): unknown {
  if (isThreadboxError(error)) return error
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    if (fullCodes.has((cause as Error & { code?: unknown }).code)) return machineDiskFull({}, { cause: error })
  }
  return error
}

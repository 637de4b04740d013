import { guestErrorHeader, pathIsDirectoryCode } from '@threadbox/protocol/guest'

/** An error of a guest: the headers that it came with, and its sentence. */
type GuestError = { header(name: string): unknown; message: string }

/**
 * Whether a guest refused a path because it is a directory. A guest from before there were codes said it in words: it
 * still answers where a sandbox has kept its memory since then. The words can go with the first release that no longer
 * restores memory images of those guests.
 */
export function isDirectoryError({ header, message }: GuestError): boolean {
  const code = header(guestErrorHeader) ?? null
  return code === null ? message.endsWith(' cannot be used: it is a directory.') : code === pathIsDirectoryCode
}

import { guestErrorHeader, pathIsDirectoryCode } from '@threadbox/protocol/guest'

/** An error of a guest: its headers and its text. */
type GuestError = { header(name: string): unknown; message: string }

/**
 * True if a guest rejected a path because it is a directory. A guest from before these codes says so in its text, and
 * still runs where a sandbox has kept its memory since then. The text can go with the first release that no longer
 * restores memory images of those guests.
 */
export function isDirectoryError({ header, message }: GuestError): boolean {
  const code = header(guestErrorHeader) ?? null
  return code === null ? message.endsWith(' cannot be used: it is a directory.') : code === pathIsDirectoryCode
}

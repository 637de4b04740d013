import { posix } from 'node:path'

/** The folder for uploads in a sandbox. */
export const uploadDirectory = '/home/user/uploads'
/** Linux allows 255 bytes in a name; the rest is for a counter. */
const maxNameBytes = 240

/**
 * A name that is safe in a path and a shell listing, and still recognizable: the last path segment, without control
 * characters, not hidden, not too long. The extension is kept.
 */
export function cleanName(given: string): string {
  const last = posix.basename(given.replaceAll('\\', '/'))
  const plain = last
    .normalize('NFC')
    // Control and format characters, among them those that reverse the direction of text.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '')
    .replace(/^[\s.]+|\s+$/g, '')
  return shorten(plain === '' ? 'file' : plain)
}

/** `report.pdf`, then `report (2).pdf`, and so on. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name
  const { stem, extension } = split(name)
  return `${stem} (${number})${extension}`
}

function shorten(name: string): string {
  const { stem, extension } = split(name)
  let kept = stem
  while (Buffer.byteLength(kept + extension) > maxNameBytes && kept.length > 1) kept = [...kept].slice(0, -1).join('')
  return kept + extension
}

function split(name: string): { stem: string; extension: string } {
  const double = /\.tar\.[a-z0-9]{1,5}$/i.exec(name)?.[0]
  const extension = double ?? posix.extname(name)
  const isUsable = extension.length > 1 && Buffer.byteLength(extension) <= 32
  return isUsable ? { stem: name.slice(0, -extension.length), extension } : { stem: name, extension: '' }
}

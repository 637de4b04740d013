import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in a time that reveals nothing about the values or their lengths. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

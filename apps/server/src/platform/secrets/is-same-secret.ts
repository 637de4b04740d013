import { createHash, timingSafeEqual } from 'node:crypto'

/** The time this takes says nothing about either of them, their lengths included. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

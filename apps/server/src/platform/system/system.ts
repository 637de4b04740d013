import { type IdKind, makeId } from '@threadbox/domain'

/** Time and randomness, so that everything above takes them as arguments. */
export type System = {
  /** Milliseconds since epoch. */
  now(): number
  newId(kind: IdKind): string
  randomBytes(count: number): Uint8Array
}

export function makeSystem(options: { now: () => number; randomBytes: (count: number) => Uint8Array }): System {
  return { ...options, newId: (kind) => makeId(kind, options.randomBytes) }
}

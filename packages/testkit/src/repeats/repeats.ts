import { makeRandom, type Random } from './random.ts'

/** True in `./threadbox test --full`. */
export const isFull = process.env.THREADBOX_TEST_FULL === '1'

/**
 * How often a test does something. In the full set as often as promised; in the default set once at each place that it
 * tests, or as often as reveals a defect. `docs/testing.md` lists all calls: names and numbers are literals.
 */
export function repeats({ byDefault, full }: { what: string; byDefault: number; full: number }): number {
  return isFull ? full : byDefault
}

/**
 * The boundaries of a piece of work at which a test kills something, one kill at each, in the default set and in the
 * full one. `docs/testing.md` lists them: all values are literals.
 */
export function boundaries<const Boundary extends string>(kills: {
  of: string
  killed: string
  at: readonly Boundary[]
}): readonly Boundary[] {
  return kills.at
}

/** The same choices in each run with the same seed, which a failed test prints; a new seed for each run. */
export function seeded(purpose: string): Random {
  const seed = Number(process.env.THREADBOX_TEST_SEED ?? defaultSeed)
  let mixed = seed >>> 0
  for (const character of purpose) mixed = (Math.imul(mixed, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  return makeRandom(mixed)
}

const defaultSeed = '20261123'

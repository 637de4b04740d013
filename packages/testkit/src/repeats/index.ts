export { makeRandom, type Random } from './random.ts'
export { boundaries, isFull, repeats, seeded } from './repeats.ts'

/** Choices that are the same in every run with the same seed (mulberry32). */
export type Random = {
  /** 0 ≤ value < 1 */
  next(): number
  between(low: number, high: number): number
  oneOf<Value>(values: readonly Value[]): Value
}

export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    oneOf: (values) => {
      const value = values[Math.floor(next() * values.length)]
      if (value === undefined) throw new RangeError('nothing to choose from')
      return value
    },
  }
}

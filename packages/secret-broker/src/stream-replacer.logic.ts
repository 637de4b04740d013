export type Replacement = { find: Buffer; put: Buffer }

/** Replacements, prepared for any number of streams. */
export type PreparedReplacements = readonly Pattern[]

type Pattern = Replacement & { failures: Uint32Array }

export function prepareReplacements(replacements: readonly Replacement[]): PreparedReplacements {
  return replacements
    .filter(({ find }) => find.length > 0)
    .map(({ find, put }) => ({ find, put, failures: failuresOf(find) }))
}

/** Bytes that may go out although they begin a match: the rest of the match is then still replaced. */
const maxReleased = 4

/**
 * Replaces texts in a stream of bytes: of matches that overlap, the first, and of those that begin together, the
 * longest. The result doesn’t depend on how the stream is cut. Only bytes that could begin a match are held back.
 */
export class StreamReplacer {
  /** How many matches were found, and the text of the last one. */
  matches = 0
  matched: Buffer | undefined
  readonly #patterns: PreparedReplacements
  /** Where each pattern is found next in the bytes at hand. */
  readonly #next: number[]
  readonly #releasable: number
  #held: Buffer = Buffer.alloc(0)
  /** The first bytes of `#held` that are already out. */
  #released = 0

  constructor(patterns: PreparedReplacements) {
    this.#patterns = patterns
    this.#next = patterns.map(() => -1)
    const shortest = Math.min(...patterns.map(({ find }) => find.length))
    this.#releasable = Math.min(maxReleased, shortest - 1)
  }

  /** True if bytes wait for what follows them. */
  get isHolding(): boolean {
    return this.#held.length > this.#released
  }

  push(chunk: Buffer): Buffer[] {
    return this.#run(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), false)
  }

  end(): Buffer[] {
    return this.#run(this.#held, true)
  }

  /**
   * Lets go of held bytes if they are at most four, for a reader that waits for them. What completes their match is
   * replaced, so these four are all that it can get of a value.
   */
  release(): Buffer | undefined {
    if (!this.isHolding || this.#held.length > this.#releasable) return undefined
    const part = this.#held.subarray(this.#released)
    this.#released = this.#held.length
    return part
  }

  #run(bytes: Buffer, isEnd: boolean): Buffer[] {
    const out: Buffer[] = []
    const released = this.#released
    const pass = (from: number, to: number) => {
      if (to > Math.max(from, released)) out.push(bytes.subarray(Math.max(from, released), to))
    }
    this.#next.fill(-1)
    let at = 0
    for (;;) {
      const match = this.#firstMatch(bytes, at)
      const partial = isEnd ? bytes.length : this.#firstPartial(bytes, at)
      if (match === undefined || partial <= match.at) {
        pass(at, partial)
        this.#held = bytes.subarray(partial)
        this.#released = Math.max(0, Math.min(released - partial, this.#held.length))
        return out
      }
      pass(at, match.at)
      this.matches++
      this.matched = match.find
      const put = match.put.subarray(Math.max(0, released - match.at))
      if (put.length > 0) out.push(put)
      at = match.at + match.find.length
    }
  }

  #firstMatch(bytes: Buffer, from: number): (Replacement & { at: number }) | undefined {
    let first: Pattern | undefined
    let at = Number.POSITIVE_INFINITY
    for (const [index, pattern] of this.#patterns.entries()) {
      let next = this.#next[index] ?? -1
      if (next < from) {
        const found = bytes.indexOf(pattern.find, from)
        next = found === -1 ? Number.POSITIVE_INFINITY : found
        this.#next[index] = next
      }
      if (next < at || (next === at && first !== undefined && pattern.find.length > first.find.length)) {
        first = pattern
        at = next
      }
    }
    return first === undefined ? undefined : { find: first.find, put: first.put, at }
  }

  /** The first place from which all bytes to the end could be the beginning of a longer match. */
  #firstPartial(bytes: Buffer, from: number): number {
    let first = bytes.length
    for (const { find, failures } of this.#patterns) {
      let state = 0
      for (let index = Math.max(from, bytes.length - find.length + 1); index < bytes.length; index++) {
        const byte = bytes[index]
        while (state > 0 && find[state] !== byte) state = failures[state - 1] ?? 0
        if (find[state] === byte) state++
      }
      first = Math.min(first, bytes.length - state)
    }
    return first
  }
}

/** For each length of a beginning of `text`, the longest shorter beginning that it ends with (Knuth, Morris and Pratt). */
function failuresOf(text: Buffer): Uint32Array {
  const failures = new Uint32Array(text.length)
  let state = 0
  for (let index = 1; index < text.length; index++) {
    while (state > 0 && text[state] !== text[index]) state = failures[state - 1] ?? 0
    if (text[state] === text[index]) state++
    failures[index] = state
  }
  return failures
}

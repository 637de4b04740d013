import { Transform, type TransformCallback } from 'node:stream'
import type { ThreadboxError } from '@threadbox/errors'
import { type PreparedReplacements, StreamReplacer } from './stream-replacer.logic.ts'

/** So long a reader waits for bytes that could begin a match, when nothing follows them. */
const releaseAfterMs = 20

/** A stream in which texts are replaced. `onMatch`: it fails with this error instead, before a whole match is out. */
export class ReplacingStream extends Transform {
  readonly #replacer: StreamReplacer
  readonly #onMatch: ((found: Buffer) => ThreadboxError) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(replacements: PreparedReplacements, onMatch?: (found: Buffer) => ThreadboxError) {
    super({ readableHighWaterMark: 256 * 1024, writableHighWaterMark: 64 * 1024 })
    this.#replacer = new StreamReplacer(replacements)
    this.#onMatch = onMatch
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    clearTimeout(this.#timer)
    this.#pass(this.#replacer.push(chunk), done)
    if (this.#replacer.isHolding) this.#timer = setTimeout(() => this.#release(), releaseAfterMs)
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.#timer)
    this.#pass(this.#replacer.end(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    done(error)
  }

  #pass(parts: readonly Buffer[], done: TransformCallback): void {
    const { matched } = this.#replacer
    if (this.#onMatch !== undefined && matched !== undefined) {
      done(this.#onMatch(matched))
      return
    }
    for (const part of parts) this.push(part)
    done()
  }

  #release(): void {
    const part = this.#replacer.release()
    if (part !== undefined && !this.destroyed) this.push(part)
  }
}

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** A socket that sends no more than it is allowed to, so that a test stops it at any byte. */
export class Valve extends Duplex {
  readonly #socket: Socket
  readonly #received: Buffer[] = []
  #waiting = Buffer.alloc(0)
  #allowed: number
  #isReading = true

  constructor(socket: Socket, { allowed = Number.POSITIVE_INFINITY } = {}) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.#allowed = allowed
    socket.on('data', (chunk: Buffer) => {
      this.#received.push(chunk)
      if (!this.push(chunk)) socket.pause()
    })
    socket.once('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.once('close', () => this.destroy())
    this.on('error', () => undefined)
  }

  /** All bytes that arrived. */
  get received(): Buffer {
    return Buffer.concat(this.#received)
  }

  /** Bytes that wait to be allowed. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Allows this many bytes more. */
  allow(bytes: number): void {
    this.#allowed += bytes
    this.#send()
  }

  /** Waits until something waits. */
  async wanted(): Promise<number> {
    while (this.#waiting.length === 0) await once(this, 'wanted')
    return this.#waiting.length
  }

  /** From here on, what arrives stays in the buffers of the kernel, until it is read again. */
  stopReading(): void {
    this.#isReading = false
    this.#socket.pause()
  }

  readAgain(): void {
    this.#isReading = true
    this.#socket.resume()
  }

  override _read(): void {
    if (this.#isReading) this.#socket.resume()
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#waiting = Buffer.concat([this.#waiting, chunk])
    this.#send()
    if (this.#waiting.length > 0) this.emit('wanted')
    done()
  }

  override _final(done: () => void): void {
    this.#socket.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #send(): void {
    const part = this.#waiting.subarray(0, this.#allowed)
    this.#waiting = this.#waiting.subarray(part.length)
    this.#allowed -= part.length
    if (part.length > 0 && !this.#socket.destroyed) this.#socket.write(part)
  }
}

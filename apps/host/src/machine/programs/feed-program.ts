import type { Writable } from 'node:stream'

/**
 * The last step of a pipeline into the input of a program that reads to the end. When the program exits, Node closes
 * the input, sometimes before it reports the end as written. A pipeline into the stream itself then fails with
 * `ERR_STREAM_PREMATURE_CLOSE`, although the program got everything. The exit code tells the outcome.
 */
export function intoProgram(input: Writable): (source: AsyncIterable<Uint8Array>) => Promise<void> {
  // A program that exits early is noticed below, and by its exit code.
  input.on('error', () => undefined)
  return async (source) => {
    try {
      for await (const chunk of source) {
        if (input.destroyed) throw new Error('The program exited before it had read everything')
        if (!input.write(chunk)) await drainedOrClosed(input)
      }
      input.end()
    } catch (error) {
      input.destroy()
      throw error
    }
  }
}

function drainedOrClosed(input: Writable): Promise<void> {
  if (input.destroyed) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = () => {
    input.off('drain', done)
    input.off('close', done)
    resolve()
  }
  input.on('drain', done)
  input.on('close', done)
  return promise
}

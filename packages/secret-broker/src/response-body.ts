import type { Readable, Transform, Writable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { ReplacingStream } from './replacing-stream.ts'
import type { ContentEncoding, ResponseHead } from './response-head.logic.ts'
import type { OpenExchange } from './session.ts'

/** What the body of a response goes through on its way to the sandbox: none if nothing could be in it. */
export function stepsFor(head: ResponseHead, exchange: OpenExchange): Transform[] {
  const echo = exchange.echo({ keepsLength: head.keepsLength })
  const steps: Transform[] = head.encoding === undefined ? [] : [decoderOf(head.encoding)]
  if (echo.length > 0) steps.push(new ReplacingStream(echo))
  return steps
}

/** Memory stays bounded: what the reader doesn’t take isn’t decoded. */
function decoderOf(encoding: ContentEncoding): Transform {
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding === 'zstd') return createZstdDecompress()
  return encoding === 'deflate' ? createInflate() : createGunzip()
}

/**
 * Writes `source` through the steps to `target`, and leaves that open. Rejects if one of them fails or `target` closes
 * early; ends the others then. (`pipeline` makes and aborts a signal for each call, which a request’s time shows.)
 */
export function pass({
  source,
  steps,
  target,
}: {
  source: Readable
  steps: readonly Transform[]
  target: Writable
}): Promise<void> {
  const done = Promise.withResolvers<void>()
  const fail = (error?: Error) => {
    for (const part of [source, ...steps]) part.destroy()
    done.reject(error ?? new Error('it ended early'))
  }
  const onClose = () => fail()
  let last: Readable = source
  for (const step of steps) {
    step.on('error', fail)
    last = last.pipe(step)
  }
  // Not only the first: an error that nothing listens to would end the process.
  source.on('error', fail)
  source.once('close', () => {
    if (!source.readableEnded) fail()
  })
  last.once('end', () => {
    target.off('close', onClose)
    done.resolve()
  })
  target.once('close', onClose)
  if (target.destroyed) fail()
  last.pipe(target, { end: false })
  return done.promise
}

/** Lets the rest of a request arrive unread, so that its sender gets to the response. */
export function discard(source: Readable): void {
  source.unpipe()
  source.on('error', () => undefined)
  source.resume()
}

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { runs } from '@threadbox/protocol/guest'
import type { Execution, ExecutionEnd } from './run.ts'

type ReadEvent = MessageInitShape<typeof runs.ReadResponseSchema>['event']

/** Largest piece of output in one message. */
const pieceBytes = 256 * 1024

/** Streams output and displays of an execution from the reader's position; returns after it has sent the end. */
export async function* readExecution(
  execution: Execution,
  options: { offset: number; display: number; keepAliveMs: number; signal: AbortSignal },
): AsyncGenerator<{ event: ReadEvent }> {
  let { offset, display } = options
  while (!options.signal.aborted) {
    const piece = execution.log.read({ offset, limit: pieceBytes })
    if (piece.data.length > 0) {
      offset = piece.offset + piece.data.length
      yield { event: { case: 'output', value: { offset: BigInt(piece.offset), data: piece.data } } }
      continue
    }
    const found = execution.displays[display]
    if (found !== undefined) {
      yield { event: { case: 'display', value: { index: display, ...found } } }
      display += 1
      continue
    }
    if (execution.end !== undefined) {
      yield { event: { case: 'ended', value: endMessage(execution.end) } }
      return
    }
    if (!(await changeWithin(execution, options))) yield { event: { case: 'keepalive', value: {} } }
  }
}

/** Returns false if nothing has changed for `keepAliveMs`. */
function changeWithin(execution: Execution, options: { keepAliveMs: number; signal: AbortSignal }): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (changed: boolean) => {
      clearTimeout(timer)
      stopListening()
      options.signal.removeEventListener('abort', onAbort)
      resolve(changed)
    }
    const onAbort = () => settle(true)
    const timer = setTimeout(() => settle(false), options.keepAliveMs)
    const stopListening = execution.onChange(() => settle(true))
    options.signal.addEventListener('abort', onAbort, { once: true })
  })
}

function endMessage(end: ExecutionEnd) {
  return { ...end, outputSize: BigInt(end.outputSize) }
}

import { isThreadboxError, toWireError } from '@threadbox/errors'
import { type TerminalClientFrame, terminalClientFrameSchema } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { RawData, WebSocket } from 'ws'
import { endWhenUnanswered, processInOrder } from '../../platform/http/socket-messages.ts'
import { parseJson } from '../../platform/system/parse-json.ts'
import { makeTerminalInput, type TerminalInput } from './terminal-input.ts'
import { showTerminal, type View } from './terminal-output.ts'
import { terminalFrameInvalid } from './terminals.errors.ts'
import type { SharedTerminalDependencies } from './terminals.usecases.ts'

/** Limit of queued input; beyond it the socket is read no further. */
const maxWaitingBytes = 256 * 1024
/** A view that does not respond to one ping before the next is gone. */
const pingEveryMs = 20_000
/** 1003: a kind of data that is not accepted; 1011: an error of the server. */
const closeCodes = { invalid: 1003, failed: 1011 }

type Options = { peer: WebSocket; threadId: string; terminalId: string; after: number; logger: Logger }

/** Serves one view from the handshake to its end. */
export function serveView(parts: SharedTerminalDependencies, options: Options): void {
  const { peer, threadId, terminalId, after } = options
  const closed = new AbortController()
  let sent = Promise.resolve()
  const send: View['send'] = (frame) => {
    if (peer.readyState !== peer.OPEN) return
    const { promise, resolve } = Promise.withResolvers<void>()
    // Also called when the socket breaks.
    peer.send(JSON.stringify(frame), () => resolve())
    sent = promise
  }
  const view: View = {
    threadId,
    terminalId,
    signal: closed.signal,
    offset: after,
    acked: after,
    sandbox: undefined,
    send,
    sent: () => sent,
    onAck: () => {},
    sendOutput: (data) => void (peer.readyState === peer.OPEN && peer.send(data, { binary: true })),
    close: (code) => peer.close(code),
  }
  const fail = (error: unknown, code: number) => {
    if (closed.signal.aborted) return
    if (!isThreadboxError(error)) options.logger.warn({ err: error, threadId }, 'a view of a terminal failed')
    send({ type: 'error', error: toWireError(error).error })
    peer.close(code)
  }
  peer.once('close', () => closed.abort())
  // `close` follows. Without a listener, an error would end the process.
  peer.on('error', (error) => options.logger.debug({ err: error }, 'a socket of a terminal broke'))
  endWhenUnanswered(peer, { pingEveryMs, maxUnanswered: 1 })
  takeMessages(peer, {
    view,
    input: makeTerminalInput(parts, view),
    refuse: (error) => fail(error, closeCodes.invalid),
  })
  showTerminal(parts, view).catch((error: unknown) => fail(error, closeCodes.failed))
}

/** Handles a view’s messages in their order; a view that sends faster has to wait. */
function takeMessages(
  peer: WebSocket,
  { view, input, refuse }: { view: View; input: TerminalInput; refuse: (error: unknown) => void },
): void {
  const inOrder = processInOrder(peer, { maxWaitingBytes })
  const enqueue = (sizeBytes: number, action: () => Promise<void>) =>
    inOrder(sizeBytes, async () => {
      if (view.signal.aborted) return
      await action().catch((error: unknown) => {
        if (!view.signal.aborted) view.send({ type: 'error', error: toWireError(error).error })
      })
    })
  const take = (frame: TerminalClientFrame, sizeBytes: number) => {
    switch (frame.type) {
      case 'ack':
        view.acked = Math.max(view.acked, Math.min(frame.offset, view.offset))
        return view.onAck()
      case 'input':
        return enqueue(sizeBytes, () => input.type(Buffer.from(frame.data)))
      case 'report':
        return enqueue(sizeBytes, () => input.report(Buffer.from(frame.data)))
      case 'resize':
        return enqueue(sizeBytes, () => input.resize({ cols: frame.cols, rows: frame.rows }))
      default:
        return enqueue(sizeBytes, () => input.wake())
    }
  }
  peer.on('message', (data: RawData, isBinary) => {
    const bytes = data as Buffer
    const frame = isBinary ? undefined : terminalClientFrameSchema.safeParse(parseJson(bytes.toString('utf8')))
    if (frame?.success) take(frame.data, bytes.length)
    else refuse(terminalFrameInvalid({ problem: frame?.error?.issues[0]?.message ?? 'it is binary' }))
  })
}

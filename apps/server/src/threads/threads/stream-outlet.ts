import { makeSerial, waitAtMost } from '@threadbox/concurrency'
import { streamCloseCodes } from '@threadbox/protocol/public'
import type { WebSocket } from 'ws'
import { closeSocket } from '../../platform/http/socket-server.ts'

export type OutletLimits = {
  /** Limit of unacknowledged characters of events. The next event waits until there are fewer. */
  maxUnacknowledged: number
  /** A client that acknowledges nothing for this long while something waits for it is disconnected. */
  stallMs: number
}

/**
 * The sending side of one socket. Memory holds one event per stream and the unacknowledged ones, however slow the
 * client is.
 */
export type StreamOutlet = {
  /**
   * Sends the event in its turn when the client has capacity, unless `signal` is aborted before. Resolves when the
   * socket can take more, or has closed.
   */
  event(text: string, signal: AbortSignal): Promise<void>
  /** Sends without waiting for acknowledgments: for replies and the end of a stream. */
  answer(text: string): Promise<void>
  acknowledge(characters: number): void
}

export function makeStreamOutlet(peer: WebSocket, limits: OutletLimits, signal: AbortSignal): StreamOutlet {
  let sent = 0
  let acknowledged = 0
  const serial = makeSerial()
  let onAcknowledged = () => {}
  const write = (text: string) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve()
      sent += text.length
      // Called when the kernel has accepted the data. An error is followed by `close`, which ends every stream.
      peer.send(text, () => resolve())
    })
  const room = async () => {
    while (sent - acknowledged >= limits.maxUnacknowledged && !signal.aborted) {
      const before = acknowledged
      const arrived = Promise.withResolvers<void>()
      onAcknowledged = arrived.resolve
      await waitAtMost(limits.stallMs, { work: arrived.promise, signal })
      if (acknowledged === before && !signal.aborted) return closeSocket(peer, streamCloseCodes.stalled)
    }
  }
  return {
    event: (text, streamSignal) =>
      serial(async () => {
        if (streamSignal.aborted) return
        await room()
        await write(text)
      }),
    answer: write,
    acknowledge: (characters) => {
      acknowledged = Math.max(acknowledged, Math.min(characters, sent))
      onAcknowledged()
    },
  }
}

import { makeSerial } from '@threadbox/concurrency'
import type { WebSocket } from 'ws'

/**
 * Returns a function that runs the work of messages in the order of their arrival. While more than `maxWaitingBytes` of
 * messages wait, the socket is paused. `work` must not reject.
 */
export function processInOrder(peer: WebSocket, { maxWaitingBytes }: { maxWaitingBytes: number }) {
  let waitingBytes = 0
  const serial = makeSerial()
  return (sizeBytes: number, work: () => Promise<void>): void => {
    waitingBytes += sizeBytes
    if (waitingBytes >= maxWaitingBytes) peer.pause()
    void serial(async () => {
      await work()
      waitingBytes -= sizeBytes
      if (waitingBytes < maxWaitingBytes && peer.isPaused) peer.resume()
    })
  }
}

/** Terminates a socket whose other side leaves `maxUnanswered` pings in a row without a pong. */
export function endWhenUnanswered(peer: WebSocket, limits: { pingEveryMs: number; maxUnanswered: number }): void {
  let unanswered = 0
  peer.on('pong', () => {
    unanswered = 0
  })
  const timer = setInterval(() => {
    // The pong of a paused socket can't be received.
    if (unanswered >= limits.maxUnanswered && !peer.isPaused) return peer.terminate()
    unanswered += 1
    peer.ping()
  }, limits.pingEveryMs)
  timer.unref()
  peer.once('close', () => clearInterval(timer))
}

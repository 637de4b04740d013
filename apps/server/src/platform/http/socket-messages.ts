import { makeSerial } from '@threadbox/concurrency'
import type { WebSocket } from 'ws'

/**
 * Runs what messages ask for in the order in which they arrived. While more than `maxWaitingBytes` of messages wait, the
 * socket is not read. `work` must not reject.
 */
export function takeInOrder(peer: WebSocket, { maxWaitingBytes }: { maxWaitingBytes: number }) {
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

/** Ends a socket whose other side does not answer `maxUnanswered` pings in a row. */
export function endWhenUnanswered(peer: WebSocket, limits: { pingEveryMs: number; maxUnanswered: number }): void {
  let unanswered = 0
  peer.on('pong', () => {
    unanswered = 0
  })
  const timer = setInterval(() => {
    // One that is not read right now cannot be heard either.
    if (unanswered >= limits.maxUnanswered && !peer.isPaused) return peer.terminate()
    unanswered += 1
    peer.ping()
  }, limits.pingEveryMs)
  timer.unref()
  peer.once('close', () => clearInterval(timer))
}

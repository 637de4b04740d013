import type { StreamStatus } from '@threadbox/sdk'
import { type Connection, unknownConnection, withStatus } from './connection.models.ts'

/** Holds what is known about the way to the server, for everything on the page that wants to say it. */
export type ConnectionStore = {
  report(status: StreamStatus): void
  /** Tries again at once when the stream is waiting; otherwise does nothing. */
  retryNow(): void
  get(): Connection
  subscribe(listener: () => void): () => void
}

export function makeConnectionStore(now: () => number): ConnectionStore {
  let connection = unknownConnection
  let retry: (() => void) | undefined
  const listeners = new Set<() => void>()
  return {
    report: (status) => {
      connection = withStatus(connection, status, now())
      retry = status.state === 'waiting' ? status.retryNow : undefined
      for (const listener of listeners) listener()
    },
    retryNow: () => retry?.(),
    get: () => connection,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The connection of this page. The stream of the signed-in person reports to it. */
export const connectionStore = makeConnectionStore(() => Date.now())

import type { StreamStatus } from '@threadbox/sdk'
import { createStore } from 'zustand/vanilla'
import type { Readable } from '../../client/readable.ts'
import { type Connection, unknownConnection, withStatus } from './connection.models.ts'

/** Holds what is known about the way to the server, for everything on the page that wants to say it. */
export type ConnectionStore = {
  report(status: StreamStatus): void
  /** Tries again at once when the stream is waiting; otherwise does nothing. */
  retryNow(): void
  connection: Readable<Connection>
}

function makeConnectionStore(now: () => number): ConnectionStore {
  const connection = createStore<Connection>()(() => unknownConnection)
  let retry: (() => void) | undefined
  return {
    report: (status) => {
      retry = status.state === 'waiting' ? status.retryNow : undefined
      connection.setState(withStatus(connection.getState(), status, now()), true)
    },
    retryNow: () => retry?.(),
    connection,
  }
}

/** The connection of this page. The stream of the signed-in person reports to it. */
export const connectionStore = makeConnectionStore(() => Date.now())

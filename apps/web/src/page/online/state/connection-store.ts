import type { StreamStatus } from '@threadbox/sdk'
import { createStore } from 'zustand/vanilla'
import type { Readable } from '../../client/readable.ts'
import { type Connection, unknownConnection, withStatus } from './connection.logic.ts'

/** The state of the connection to the server, for everything on the page that shows it. */
export type ConnectionStore = {
  report(status: StreamStatus): void
  /** Retries immediately if the stream is waiting; otherwise does nothing. */
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

/** The connection of this page. The stream of the signed-in user reports to it. */
export const connectionStore = makeConnectionStore(() => Date.now())

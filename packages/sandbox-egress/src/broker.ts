import type { Socket } from 'node:net'
import type { Grant } from '@threadbox/protocol/egress'

/** A connection of a sandbox to a name that it has secrets for. */
export type BrokeredConnection = {
  /** Nothing was read from it. */
  socket: Socket
  sandboxId: string
  name: string
  port: number
  /** Undefined: not known, because the server has not sent them since this process started. */
  grants(): readonly Grant[] | undefined
  signal: AbortSignal
}

/** Inserts secrets into the requests of a connection. */
export type Broker = {
  /** The certificate (PEM) of the authority that sandboxes must trust. */
  authority: string
  /** Ends when the connection has ended or `signal` aborts. */
  serve(connection: BrokeredConnection): Promise<void>
  /** Ends the sandbox’s requests that used a grant which it no longer has. */
  grantsChanged(sandboxId: string): void
}

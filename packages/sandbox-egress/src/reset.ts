import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** Ends a connection so that its other side sees that it was broken, and not that all was sent. */
export function reset(socket: Socket): void {
  // Below TLS is a TCP socket that can’t be reached from here: its other side sees the end without a notice of TLS.
  if (socket instanceof TLSSocket) socket.destroy()
  else socket.resetAndDestroy()
}

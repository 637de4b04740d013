import { connect, type Socket } from 'node:net'
import type { BulkReader } from './bulk-reader.ts'

/**
 * Opens a connection to an address that was checked. `signal` only ends the attempt. With a `reader`, the socket is paused
 * and gives what it receives to that.
 */
export type ConnectTo = (target: {
  address: string
  port: number
  signal: AbortSignal
  reader?: BulkReader | undefined
}) => Promise<Socket>

export const connectTo: ConnectTo = async ({ address, port, signal, reader }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  // Stays half open after the other side’s end, as in the sandbox.
  const reads = reader === undefined ? {} : { onread: reader.onread }
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true, ...reads })
  if (reader !== undefined) socket.pause()
  const abort = () => void socket.destroy(new Error('the connection took too long'))
  socket.once('connect', () => resolve(socket)).once('error', reject)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return await promise.finally(() => {
    signal.removeEventListener('abort', abort)
    socket.off('error', reject)
  })
}

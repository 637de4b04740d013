import { connect, type Socket } from 'node:net'

/** Opens a connection to an address that was checked. `signal` only ends the attempt. */
export type ConnectTo = (target: { address: string; port: number; signal: AbortSignal }) => Promise<Socket>

export const connectTo: ConnectTo = async ({ address, port, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  // Stays half open after the other side’s end, as in the sandbox.
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true })
  const abort = () => void socket.destroy(new Error('the connection took too long'))
  socket.once('connect', () => resolve(socket)).once('error', reject)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return await promise.finally(() => {
    signal.removeEventListener('abort', abort)
    socket.off('error', reject)
  })
}

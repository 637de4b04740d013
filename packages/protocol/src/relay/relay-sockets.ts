import { connect, type NetConnectOpts, type Socket } from 'node:net'

/** Receives the bytes of a connection, instead of the connection’s own listeners. */
export type Receiver = {
  /** Returns the memory for the next bytes. Called after each `receive`. */
  buffer(): Buffer
  /** Processes bytes in that memory. Returns false to stop reading until the socket is resumed. */
  receive(bytes: Uint8Array): boolean
}

const receivers = new WeakMap<Socket, { current: Receiver | undefined }>()

/** Memory for reads of all connections without a receiver: the bytes are copied out before the next read. */
const shared = Buffer.allocUnsafeSlow(64 * 1024)

/** Connects as `net.connect` does. `receiveFrom` can later hand the connection's bytes to a receiver. */
export function connectForRelay(options: NetConnectOpts): Socket {
  const state: { current: Receiver | undefined } = { current: undefined }
  const socket: Socket = connect({
    ...options,
    onread: {
      buffer: () => state.current?.buffer() ?? shared,
      callback: (length, memory) => {
        // A receiver's first read still uses the shared memory: Node asks for the next memory after each read.
        const bytes = memory === shared ? Buffer.from(memory.subarray(0, length)) : memory.subarray(0, length)
        return state.current === undefined ? socket.push(bytes) : state.current.receive(bytes)
      },
    },
  })
  receivers.set(socket, state)
  return socket
}

/** Returns false for other sockets, and for those with buffered bytes that a receiver would miss. */
export function canReceiveFrom(socket: Socket): boolean {
  return receivers.has(socket) && socket.readableLength === 0 && !socket.destroyed
}

/** Passes everything that the connection receives from now on to the receiver. */
export function receiveFrom(socket: Socket, receiver: Receiver): void {
  const state = receivers.get(socket)
  if (state === undefined) throw new TypeError('the connection was not made by connectForRelay')
  state.current = receiver
}

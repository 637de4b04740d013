import { createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '@threadbox/telemetry'

export type RelayPorts = {
  /** Listens on these ports and no others. A port that something else uses is tried again at the next call. */
  listenOn(ports: ReadonlySet<number>): Promise<void>
  close(): Promise<void>
}

/** Makes the server listen for connections to this port. */
export type ListenOnPort = (server: Server, port: number) => void

/** On all addresses of the namespace: the address that a connection was made to says what it is for. */
export const listenOnPort: ListenOnPort = (server, port) => void server.listen({ host: '0.0.0.0', port, backlog: 1024 })

export function makeRelayPorts(options: {
  onConnection: (socket: Socket, port: number) => void
  listen: ListenOnPort
  logger: Logger
}): RelayPorts {
  const { onConnection, listen, logger } = options
  const servers = new Map<number, Server>()
  const open = async (port: number) => {
    // Nothing is read, and no byte is lost, before the policy was checked.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) =>
      onConnection(socket, port),
    )
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('listening', resolve).once('error', reject)
    servers.set(port, server)
    listen(server, port)
    try {
      await promise
      server.on('error', (error) => logger.warn({ err: error, port }, 'a connection was not accepted'))
    } catch (error) {
      servers.delete(port)
      logger.warn({ err: error, port }, 'the relay can’t listen on a port of a network policy')
    }
  }
  const close = (port: number) => {
    // Its connections end by the policy that no longer allows them.
    servers.get(port)?.close()
    servers.delete(port)
  }
  return {
    listenOn: async (ports) => {
      for (const port of servers.keys()) if (!ports.has(port)) close(port)
      await Promise.all([...ports].filter((port) => !servers.has(port)).map((port) => open(port)))
    },
    close: async () => {
      for (const port of [...servers.keys()]) close(port)
    },
  }
}

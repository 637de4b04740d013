import type { Socket as UdpSocket } from 'node:dgram'
import type { Server, Socket } from 'node:net'
import type { Logger } from '@threadbox/telemetry'
import { makeFrameReader, toFrame } from './dns-frames.ts'
import type { DnsResolver } from './dns-resolver.ts'
import type { Datagram, NameSockets } from './name-sockets.ts'

/**
 * The DNS server of sandboxes, over UDP and TCP. It identifies sandboxes by source address, which the firewall
 * guarantees. It stores nothing between questions; connections are limited per sandbox.
 */
export type DnsForwarder = {
  /** Answers what has arrived at these sockets, and what arrives from now on. */
  serve(sockets: NameSockets): void
  /** Ends the connections of one sandbox. */
  drop(address: string): void
  close(): Promise<void>
}

const connectionsEach = 16
/** Longer than any response takes; a connection that is idle this long is closed. */
const connectionIdleMs = 10_000

export function makeDnsForwarder(options: { resolver: DnsResolver; logger: Logger }): DnsForwarder {
  const { resolver, logger } = options
  const connections = new Map<string, Set<Socket>>()
  let udp: UdpSocket | undefined
  let tcp: Server | undefined

  const serveConnection = (socket: Socket) => {
    const from = socket.remoteAddress ?? ''
    const mine = connections.get(from) ?? new Set()
    socket.on('error', () => socket.destroy())
    if (!resolver.isClient(from) || mine.size >= connectionsEach) return socket.destroy()
    connections.set(from, mine.add(socket))
    socket.on('close', () => {
      mine.delete(socket)
      if (mine.size === 0) connections.delete(from)
    })
    socket.setTimeout(connectionIdleMs, () => socket.destroy())
    void answerAll({ socket, resolver, from })
  }

  const serveDatagram = async ({ question, sender }: Datagram) => {
    const answer = await resolver.answer({ from: sender.address, question, transport: 'udp' })
    // The sandbox may be gone by now; a datagram that cannot be sent counts as lost.
    if (answer !== undefined) udp?.send(answer, sender.port, sender.address, () => undefined)
  }

  return {
    serve(sockets) {
      tcp = sockets.tcp.on('connection', serveConnection)
      udp = sockets.udp.on('message', (question, sender) => void serveDatagram({ question, sender }))
      for (const datagram of sockets.takeEarly()) void serveDatagram(datagram)
      udp.on('error', (error) => logger.warn({ err: error }, 'the DNS forwarder lost a datagram'))
    },
    drop(address) {
      for (const socket of connections.get(address) ?? []) socket.destroy()
    },
    async close() {
      for (const mine of connections.values()) for (const socket of mine) socket.destroy()
      const closing = [tcp, udp].map(
        (socket) => new Promise<void>((resolve) => (socket === undefined ? resolve() : socket.close(() => resolve()))),
      )
      tcp = undefined
      udp = undefined
      await Promise.all(closing)
    },
  }
}

/** Handles one question after another: reading waits for the response, so a flood waits in the sandbox. */
async function answerAll(options: { socket: Socket; resolver: DnsResolver; from: string }): Promise<void> {
  const { socket, resolver, from } = options
  const read = makeFrameReader()
  try {
    for await (const chunk of socket) {
      for (const question of read(chunk)) {
        const answer = await resolver.answer({ from, question, transport: 'tcp' })
        if (answer === undefined) return
        socket.write(toFrame(answer))
      }
    }
  } catch {
    // The sandbox closed its end during the exchange.
  } finally {
    socket.destroy()
  }
}

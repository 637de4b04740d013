import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import type { TestHost } from '@threadbox/testkit'

/**
 * A proxy to a host daemon that can withhold the response to an order, so that the server can be killed before it
 * arrives.
 */
export type HeldAnswers = AsyncDisposable & {
  socketPath: string
  /** Resolves when the host has responded to the next request whose first line matches. That response never arrives. */
  holdNext(fits: RegExp): Promise<void>
}

/** Forwards everything except held responses. */
export async function startHeldAnswers(host: TestHost): Promise<HeldAnswers> {
  const to = host.environment.THREADBOX_HOST_SOCKET
  if (to === undefined) throw new TypeError('the host has no socket')
  const socketPath = path.join(path.dirname(to), 'held.sock')
  const sockets = new Set<Socket>()
  let wanted: { fits: RegExp; answered: () => void } | undefined
  const server = createServer((client) => {
    const there = connect(to)
    let held: (() => void) | undefined
    for (const socket of [client, there]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        there.destroy()
      })
    }
    client.on('data', (bytes) => {
      if (wanted?.fits.test(bytes.toString('latin1').split('\r\n', 1)[0] ?? '') === true) {
        held = wanted.answered
        wanted = undefined
      }
      there.write(bytes)
    })
    there.on('data', (bytes) => (held === undefined ? client.write(bytes) : held()))
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return {
    socketPath,
    holdNext: (fits) =>
      new Promise((answered) => {
        wanted = { fits, answered }
      }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

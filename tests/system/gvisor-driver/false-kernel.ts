import { rename, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'

/**
 * What stands between the driver and the kernel of a sandbox does with a connection.
 * - `closed`: ends it without a reply.
 * - `silent`: never replies.
 * - `unanswered`: passes the request on, and keeps the reply.
 * - `late`: passes the request on when the next connection has ended.
 * - `garbage`, `endless`: replies with something else.
 * - `honest`: passes everything on.
 */
export type Conduct = 'closed' | 'silent' | 'unanswered' | 'late' | 'garbage' | 'endless' | 'honest'

/** Takes the place of a control socket: the first connections find these conducts, all later ones the last of them. */
export async function makeFalseKernel(options: {
  runscState: string
  bootId: string
  conducts: readonly Conduct[]
}): Promise<AsyncDisposable> {
  const controlSocket = path.join(options.runscState, `runsc-${options.bootId}.sock`)
  const realSocket = `${controlSocket}.real`
  const conducts = [...options.conducts]
  const connections = new Set<Socket>()
  const late: (() => void)[] = []
  const open = (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }
  const passOn = (socket: Socket, reply: Socket | undefined) => {
    const real = open(connect({ path: realSocket, allowHalfOpen: true }))
    socket.pipe(real)
    if (reply === undefined) real.resume()
    else real.pipe(reply)
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open(socket)
    const conduct = (conducts.length > 1 ? conducts.shift() : conducts[0]) ?? 'honest'
    if (conduct === 'closed') socket.destroy()
    if (conduct === 'garbage') socket.end('{"success":true}')
    if (conduct === 'endless') socket.write(' '.repeat(1 << 20))
    if (conduct === 'unanswered') passOn(socket, undefined)
    if (conduct === 'late') {
      const kept: Buffer[] = []
      socket.on('data', (chunk: Buffer) => kept.push(chunk))
      late.push(() => open(connect({ path: realSocket, allowHalfOpen: true })).end(Buffer.concat(kept)))
    }
    if (conduct !== 'honest') return
    passOn(socket, socket)
    socket.once('close', () => late.shift()?.())
  })
  await rename(controlSocket, realSocket)
  await new Promise<void>((resolve) => server.listen(controlSocket, resolve))
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(controlSocket, { force: true })
      // It is gone with its sandbox.
      await rename(realSocket, controlSocket).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    },
  }
}

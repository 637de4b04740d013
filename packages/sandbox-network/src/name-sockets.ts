import { type ChildProcess, type SendHandle, spawn } from 'node:child_process'
import { Socket as UdpSocket } from 'node:dgram'
import { Server } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { RouterPlace } from './links.ts'
import { namesPort } from './names.logic.ts'
import { inRouter } from './router.ts'
import { commandEnvironment } from './run-command.ts'
import { commandFailed } from './sandbox-network.errors.ts'

/** The sockets of the DNS server, at {@link namesPort}. */
export type NameSockets = { tcp: Server; udp: UdpSocket }

/**
 * Opens the sockets at an address of the router’s namespace, as a user. The program that does it has been started, with the
 * rights that this process has at that moment, when this returns; it ends with this process.
 */
export function openNameSockets(options: {
  router: Pick<RouterPlace, 'namespaceName'>
  address: string
  user: { userId: number; groupId: number }
}): Promise<NameSockets> {
  const { router, address, user } = options
  const own = ['--disable-sigusr1', programFile(), ...[address, namesPort, user.userId, user.groupId].map(String)]
  const [program, ...args] = inRouter(router, [process.execPath, ...own])
  const child = spawn(program, args, { env: commandEnvironment, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const problem = child.stderr === null ? Promise.resolve('') : text(child.stderr)
  return receive(child).then(async (sockets) => {
    if (sockets !== undefined) return sockets
    throw commandFailed({ command: [program, ...args].join(' '), reason: (await problem).trim().slice(-2000) })
  })
}

/** Undefined if the program ended without both sockets. */
async function receive(child: ChildProcess): Promise<NameSockets | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<NameSockets | undefined>()
  const received: Partial<NameSockets> = {}
  child.once('error', reject)
  child.on('message', (_message: unknown, handle: SendHandle) => {
    if (handle instanceof Server) received.tcp = handle
    if (handle instanceof UdpSocket) received.udp = handle
    const { tcp, udp } = received
    // Immediately, because what arrives before it has a listener is lost.
    if (tcp !== undefined && udp !== undefined) resolve({ tcp, udp })
  })
  // Not `exit`: sockets that were sent before it can arrive after it.
  child.once('disconnect', () => resolve(undefined))
  return await promise
}

/** In the source, and in a release. */
function programFile(): string {
  if (import.meta.filename.endsWith('.ts')) return fileURLToPath(new URL('./open-sockets/main.ts', import.meta.url))
  return join(dirname(import.meta.filename), '../socket-opener/main.js')
}

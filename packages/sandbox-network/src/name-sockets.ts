import { type ChildProcess, type SendHandle, spawn } from 'node:child_process'
import { type RemoteInfo, Socket as UdpSocket } from 'node:dgram'
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
export type NameSockets = {
  tcp: Server
  udp: UdpSocket
  /** What has arrived so far. From this call on, what arrives has to have a listener. */
  takeEarly(): Datagram[]
}
export type Datagram = { question: Buffer; sender: Pick<RemoteInfo, 'address' | 'port'> }

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
  let tcp: Server | undefined
  let held: Pick<NameSockets, 'udp' | 'takeEarly'> | undefined
  child.once('error', reject)
  child.on('message', (_message: unknown, handle: SendHandle) => {
    if (handle instanceof Server) tcp = handle
    if (handle instanceof UdpSocket) held = hold(handle)
    if (tcp !== undefined && held !== undefined) resolve({ tcp, ...held })
  })
  // Not `exit`: sockets that were sent before it can arrive after it.
  child.once('disconnect', () => resolve(undefined))
  return await promise
}

/** The process answers within milliseconds; only a flood has more. */
const mostEarly = 512

/** Without a listener, what arrives is lost. */
function hold(udp: UdpSocket): Pick<NameSockets, 'udp' | 'takeEarly'> {
  const early: Datagram[] = []
  const keep = (question: Buffer, sender: RemoteInfo) => {
    if (early.length < mostEarly) early.push({ question, sender })
  }
  udp.on('message', keep)
  return {
    udp,
    takeEarly: () => {
      udp.off('message', keep)
      return early
    },
  }
}

/** In the source, and in a release. */
function programFile(): string {
  if (import.meta.filename.endsWith('.ts')) return fileURLToPath(new URL('./open-sockets/main.ts', import.meta.url))
  return join(dirname(import.meta.filename), '../socket-opener/main.js')
}

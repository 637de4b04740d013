import { type ChildProcess, type SendHandle, spawn } from 'node:child_process'
import { Socket as UdpSocket } from 'node:dgram'
import { Server } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { RouterPlace } from './links.ts'
import { inRouter } from './router.ts'
import { commandEnvironment } from './run-command.ts'
import { commandFailed } from './sandbox-network.errors.ts'

/** The sockets of the DNS forwarder, on the same port. */
export type NameSockets = { tcp: Server; udp: UdpSocket; port: number }

/** Opening takes as long as a start of Node; a program that hangs must not hang the daemon forever. */
const timeoutMs = 30_000

const messageSchema = z.object({ kind: z.enum(['tcp', 'udp']), port: z.number().int().min(1).max(65_535) })

/** Any free port works: questions are redirected to it. A fixed one keeps the rules unchanged across a restart. */
const preferredPort = 10_053

/** Opens sockets at an address of the router’s namespace, at the preferred port if it is free. */
export async function openNameSockets(options: { router: RouterPlace; address: string }): Promise<NameSockets> {
  const { router, address } = options
  const own = ['--disable-sigusr1', programFile(), address, String(preferredPort)]
  const [program, ...args] = inRouter(router, [process.execPath, ...own])
  const child = spawn(program, args, {
    env: commandEnvironment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const problem = child.stderr === null ? Promise.resolve('') : text(child.stderr)
  const sockets = await receive(child)
  if (sockets !== undefined) return sockets
  throw commandFailed({ command: [program, ...args].join(' '), reason: (await problem).trim().slice(-2000) })
}

/** Undefined if the program ended without both sockets. */
async function receive(child: ChildProcess): Promise<NameSockets | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<NameSockets | undefined>()
  const received: Partial<NameSockets> = {}
  child.once('error', reject)
  child.on('message', (message: unknown, handle: SendHandle) => {
    const { port } = messageSchema.parse(message)
    received.port = port
    if (handle instanceof Server) received.tcp = handle
    if (handle instanceof UdpSocket) received.udp = handle
  })
  // Not `exit`: sockets that were sent before it can arrive after it.
  child.once('disconnect', () => {
    const { tcp, udp, port } = received
    resolve(tcp === undefined || udp === undefined || port === undefined ? undefined : { tcp, udp, port })
  })
  return await promise
}

/** In the source, and in a release. */
function programFile(): string {
  if (import.meta.filename.endsWith('.ts')) return fileURLToPath(new URL('./open-sockets/main.ts', import.meta.url))
  return join(dirname(import.meta.filename), '../socket-opener/main.js')
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EgressApi, GrantsApi, RelayTable } from '@threadbox/protocol/egress'
import { builtProgramsVariable } from '@threadbox/testkit'
import { makeEgressClient } from '../../../apps/host/src/machine/network/egress-client.ts'
import { commandInRouter } from '../../../apps/host/src/machine/programs/router-process.ts'
import { makeEgressClient as makeGrantsClient } from '../../../apps/server/src/sandboxes/secrets/egress-client.ts'

/** The egress process of a release, in a namespace, started with the host daemon’s command line. */
export type EgressProcess = AsyncDisposable & {
  pid(): number
  /** Sends the grants of a sandbox as the server does. */
  setGrants: GrantsApi['setGrants']
  /** Sends bytes to the socket of the server, as a server that is in the middle of an order. */
  writeToGrants(text: string): Promise<Socket>
  /** A connection of it, by the port of the sandbox, or by its own port of a connection to a host. */
  queues(of: { sandbox: number } | { host: number }): Promise<Queues>
  kill(): Promise<void>
  /** Puts the next one in its place; resolves when that has the table. */
  start(): Promise<void>
}

export type Queues = {
  /** It has accepted the connection, and read all that was sent to it. */
  isRead: boolean
  /** The other side does not read, and what it was sent waits. */
  isFull: boolean
  /** What the kernel says of both ends, if it knows them. */
  own: Queue | undefined
  others: Queue | undefined
}

/** Bytes that were not acknowledged, and that were not read. */
type Queue = { unsent: number; unread: number; isAccepted: boolean }

export type EgressOptions = {
  directory: string
  namespace: string
  nameServer: string
  /** PEM of the authorities that it trusts. */
  certificateBundle: string
  table: RelayTable
}

type Started = {
  child: ChildProcess
  host: EgressApi
  server: ReturnType<typeof makeGrantsClient>
  grantsSocket: string
}

/** So many load their program already while one is at work: loading takes longer than all else. */
const prepared = 2

export function makeEgressProcess(options: EgressOptions): EgressProcess {
  const stopping = new AbortController()
  const all: Started[] = []
  const upcoming: Started[] = []
  const spawnNext = () => {
    const started = spawnEgress(options, { number: all.length, signal: stopping.signal })
    all.push(started)
    return started
  }
  let current: Started | undefined
  const running = () => {
    if (current === undefined) throw new Error('egress was not started')
    return current
  }
  return {
    pid: () => running().child.pid ?? 0,
    setGrants: (order) => running().server.setGrants(order),
    writeToGrants: async (text) => {
      const socket = connect(running().grantsSocket).on('error', () => undefined)
      await once(socket, 'connect')
      await new Promise((resolve) => socket.write(text, resolve))
      return socket
    },
    queues: async (of) => {
      // The port of a host, and of what egress has in its place.
      const [egressPort, otherPort] = 'sandbox' in of ? [443, of.sandbox] : [of.host, 443]
      const own = await queuesOf(`/proc/${running().child.pid}/net/tcp`, { local: egressPort, remote: otherPort })
      const others = await queuesOf('/proc/self/net/tcp', { local: otherPort, remote: egressPort })
      const isRead = own?.unread === 0 && own.isAccepted && others?.unsent === 0
      return { isRead, isFull: (own?.unsent ?? 0) > 0 && (others?.unread ?? 0) > 0, own, others }
    },
    kill: () => killed(running().child),
    start: async () => {
      current = upcoming.shift() ?? spawnNext()
      const { child, host } = current
      while (!(await host.replaceAll(options.table).then(...isDone))) {
        if (child.exitCode !== null) throw new Error(await readFile(path.join(options.directory, 'egress.log'), 'utf8'))
        await delay(5)
      }
      // The first one has made the authority by now.
      while (upcoming.length < prepared) upcoming.push(spawnNext())
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map(({ child }) => killed(child)))
      stopping.abort()
      await Promise.all(all.map(({ server }) => server.close()))
    },
  }
}

function spawnEgress(
  { directory, namespace, nameServer, certificateBundle }: EgressOptions,
  { number, signal }: { number: number; signal: AbortSignal },
): Started {
  const file = (name: string) => path.join(directory, name)
  const [grantsSocket, ordersSocket] = [file(`grants-${number}.sock`), file(`orders-${number}.sock`)]
  const environment = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_COMPILE_CACHE: file('compile-cache'),
    THREADBOX_INSTALLATION: 'kills0',
    THREADBOX_LOG_LEVEL: 'trace',
    THREADBOX_EGRESS_SOCKET: grantsSocket,
    THREADBOX_EGRESS_ORDERS_SOCKET: ordersSocket,
    THREADBOX_EGRESS_DIRECTORY: file('authority'),
    THREADBOX_EGRESS_NAME_SERVER: nameServer,
    THREADBOX_CERTIFICATE_BUNDLE: certificateBundle,
  }
  const [command = '', ...args] = commandInRouter({
    program: 'egress',
    file: path.join(process.env[builtProgramsVariable] ?? '', 'egress/main.js'),
    namespacePath: `/run/netns/${namespace}`,
  })
  const log = openSync(file('egress.log'), 'a')
  const child = spawn(command, args, { cwd: '/', env: environment, stdio: ['pipe', log, log] })
  closeSync(log)
  const host = makeEgressClient({ socketPath: ordersSocket, signal })
  return { child, host, server: makeGrantsClient({ socketPath: grantsSocket }), grantsSocket }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const isDone = [() => true, () => false] as const

/** Without an inode, no process has it yet. */
async function queuesOf(file: string, ports: { local: number; remote: number }): Promise<Queue | undefined> {
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const [, local = '', remote = '', , queues = '', , , , , inode = '0'] = line.trim().split(/\s+/)
    // With both ports: one alone can be that of another connection of this machine.
    if (portOf(local) !== ports.local || portOf(remote) !== ports.remote) continue
    const [unsent = '', unread = ''] = queues.split(':')
    return { unsent: Number.parseInt(unsent, 16), unread: Number.parseInt(unread, 16), isAccepted: inode !== '0' }
  }
  return undefined
}

/** The port of an address as the kernel prints it. */
function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)
}

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { prepareFreePool } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { askForNumbers, type ProgramInNamespace, startProgramIn } from '../../stack/program-in-namespace.ts'
import { addNeighbor } from '../../system/isolation/test-machine.ts'
import { emptyFigure, type Figure, percentile } from '../figure.ts'
import type { Stage } from '../stage.ts'

const run = promisify(execFile)

const publicAddress = '198.51.100.84'
const rawAddress = '10.253.84.1'
const sentMegabytes = 256
const connections = 500
/** The highest rate of a rule, which is more than the machine’s processors can send. */
const unlimitedBytesPerSecond = 2 ** 32 - 1

/**
 * Listens, and sends what a client asks for; or connects, and prints the milliseconds of each connection, or of receiving
 * everything.
 */
const program = `
  const net = require('node:net')
  const { once } = require('node:events')
  const [role, address, port, bytes] = process.argv.slice(1)
  const chunk = Buffer.alloc(1 << 20)
  const send = async (socket) => {
    socket.on('error', () => undefined)
    const [wanted] = await once(socket, 'data')
    for (let left = Number(String(wanted)); left > 0; left -= chunk.length) {
      if (!socket.write(chunk.subarray(0, Math.min(left, chunk.length)))) await once(socket, 'drain')
    }
    socket.end()
  }
  const open = async () => {
    const socket = net.connect({ host: address, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return socket
  }
  const main = async () => {
    if (role === 'serve') return net.createServer(send).listen(Number(port), address, () => console.log('ready'))
    for await (const line of require('node:readline').createInterface({ input: process.stdin })) {
      const [task, amount] = line.split(' ')
      const times = []
      if (task === 'connect') {
        for (let count = 0; count < Number(amount); count += 1) {
          const startedAt = performance.now()
          const socket = await open()
          times.push(performance.now() - startedAt)
          socket.destroy()
        }
      } else {
        const socket = await open()
        const startedAt = performance.now()
        let received = 0
        socket.on('data', (data) => (received += data.length))
        socket.write(amount)
        await once(socket, 'end')
        if (received !== Number(amount)) throw new Error('received ' + received)
        times.push(performance.now() - startedAt)
        socket.destroy()
      }
      console.log(JSON.stringify(times))
    }
  }
  main()
`

/**
 * Connections and bytes between a sandbox’s namespace and another machine, with an open policy: through the router, its
 * rules, and the host. The programs run outside of gVisor, whose network is slower than all of this.
 */
export async function network(stage: Stage): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack()
  const lan = await addNeighbor({ subnet: 84, addresses: [publicAddress], address6: 'fd77:84::2' })
  cleanup.defer(() => lan.remove())
  const bare = `raw-net-${stage.host.installation}`
  await makePair({ bare, neighbor: lan.namespace })
  cleanup.defer(() => run('ip', ['netns', 'delete', bare]).then(() => undefined))
  const installation = `tn${randomBytes(2).toString('hex')}`
  const logger = makeLogger({ process: 'bench', level: 'silent' })
  const firewall = { bytesPerSecond: unlimitedBytesPerSecond }
  const { network: sandboxes } = await prepareFreePool({ installation, logger, firewall })
  cleanup.defer(() => sandboxes.close())
  const [address = ''] = sandboxes.addresses()
  const { namespacePath } = await sandboxes.attach({ sandboxId: 'bench', address, egress: { kind: 'open' } })
  const ports = { through: 8184, raw: 8185 }
  const servers = [
    start(lan.namespace, ['serve', publicAddress, ports.through]),
    start(lan.namespace, ['serve', rawAddress, ports.raw]),
  ]
  const clients = {
    through: start(namespacePath.split('/').at(-1) ?? '', ['ask', publicAddress, ports.through]),
    raw: start(bare, ['ask', rawAddress, ports.raw]),
  }
  for (const { stop } of [...servers, clients.through, clients.raw]) cleanup.defer(stop)
  for (const { next } of servers) await next()

  const connect = emptyFigure({
    id: 'network-connect',
    title: `Opening a connection from a sandbox’s network with an open policy (p50 of ${connections})`,
    floorTitle: 'two namespaces joined by a pair of links',
    target: null,
  })
  const receive: Figure = {
    ...emptyFigure({
      id: 'network-receive',
      title: `${sentMegabytes} MB received in a sandbox’s network with an open policy`,
      floorTitle: 'two namespaces joined by a pair of links',
      target: null,
    }),
    unit: 'MB/s',
  }
  for (let round = 0; round < stage.rounds; round++) {
    for (const [client, samples] of [
      [clients.raw, 'floorSamples'],
      [clients.through, 'samples'],
    ] as const) {
      connect[samples].push(percentile(await askForNumbers(client, `connect ${connections}`), 0.5))
      const [milliseconds = Number.NaN] = await askForNumbers(client, `receive ${sentMegabytes * 1_000_000}`)
      receive[samples].push((sentMegabytes * 1000) / milliseconds)
    }
  }
  return [connect, receive]
}

async function makePair({ bare, neighbor }: { bare: string; neighbor: string }): Promise<void> {
  const link = 'bare0'
  await run('ip', ['netns', 'add', bare])
  await run('ip', ['-n', bare, 'link', 'add', link, 'type', 'veth', 'peer', 'name', link, 'netns', neighbor])
  await run('ip', ['-n', bare, 'addr', 'add', '10.253.84.2/30', 'dev', link])
  await run('ip', ['-n', neighbor, 'addr', 'add', `${rawAddress}/30`, 'dev', link])
  for (const namespace of [bare, neighbor]) await run('ip', ['-n', namespace, 'link', 'set', link, 'up'])
}

function start(namespace: string, args: (string | number)[]): ProgramInNamespace {
  return startProgramIn(namespace, ['-e', program, '--', ...args.map(String)])
}

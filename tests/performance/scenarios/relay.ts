import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildPrograms } from '../../../deploy/build/build.ts'
import { askForNumbers, startProgramIn } from '../../stack/program-in-namespace.ts'
import { emptyFigure, type Figure, percentile } from '../figure.ts'
import type { Stage } from '../stage.ts'

const run = promisify(execFile)

const [publicAddress, virtualAddress, nearAddress] = ['198.51.100.85', '198.19.0.1', '198.51.100.86']
const port = 8184
const megabytes = 256
const connections = 200
const openAtATime = 500
const floorTitle = 'the same two programs without the relay'

/**
 * `serve`: sends as many bytes as it is asked for. `names`: a name server that has one address for every name. `ask`: prints the milliseconds of connections to their first byte or of everything received, or opens connections.
 */
const program = `
  const net = require('node:net')
  const { once } = require('node:events')
  const [role, address, port, source] = process.argv.slice(1)
  const chunk = Buffer.alloc(1 << 20)
  const send = async (socket) => {
    socket.on('error', () => undefined)
    const [wanted] = await once(socket, 'data')
    for (let left = Number(String(wanted)); left > 0; left -= chunk.length) {
      if (!socket.write(chunk.subarray(0, Math.min(left, chunk.length)))) await once(socket, 'drain')
    }
    if (Number(String(wanted)) > 1) socket.end()
  }
  const answerNames = () => {
    const server = require('node:dgram').createSocket('udp4')
    server.on('message', (query, { address: from, port: at }) => {
      const end = query.indexOf(0, 12) + 5
      const head = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, ...address.split('.').map(Number)])
      server.send(Buffer.concat([head, query.subarray(12, end), record]), at, from)
    })
    return once(server.bind(53, '127.0.0.53'), 'listening')
  }
  const open = async (target, amount) => {
    const startedAt = performance.now()
    const socket = net.connect({ host: target, port: Number(port), localAddress: source, noDelay: true })
    socket.write(amount)
    const [first] = await once(socket, 'data')
    return { socket, received: first.length, milliseconds: performance.now() - startedAt, startedAt }
  }
  const main = async () => {
    if (role === 'names') return answerNames().then(() => console.log('ready'))
    if (role === 'serve') return net.createServer(send).listen(Number(port), address, () => console.log('ready'))
    const kept = []
    for await (const line of require('node:readline').createInterface({ input: process.stdin })) {
      const [task, target, amount] = line.split(' ')
      const times = []
      if (task === 'receive') {
        const made = await open(target, amount)
        made.socket.on('data', (data) => (made.received += data.length))
        await once(made.socket, 'end')
        if (made.received !== Number(amount)) throw new Error('received ' + made.received)
        times.push(performance.now() - made.startedAt)
      } else {
        for (let count = 0; count < Number(amount); count += 1) {
          const { socket, milliseconds } = await open(target, '1')
          times.push(milliseconds)
          if (task === 'keep') kept.push(socket)
          else socket.destroy()
        }
      }
      console.log(JSON.stringify(times))
    }
  }
  main()
`

/**
 * Connections and bytes through the process that relays them by name, and its memory. The client is in the namespace of the
 * relay, and the server is in another one, so that the difference is the relay alone.
 */
export async function relay({ rounds }: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-relay-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  await buildPrograms(directory)
  const namespace = `tb-relay-${randomBytes(3).toString('hex')}`
  const outside = `${namespace}-out`
  for (const each of [namespace, outside]) {
    await run('ip', ['netns', 'add', each])
    cleanup.defer(() => run('ip', ['netns', 'delete', each]).then(() => undefined))
  }
  await joinNamespaces(namespace, outside)
  const node = (name: string, ...args: string[]) => ['-e', program, '--', name, publicAddress, String(port), ...args]
  for (const server of [startProgramIn(outside, node('serve')), startProgramIn(namespace, node('names'))]) {
    cleanup.defer(server.stop)
    await server.next()
  }
  const egress = await startEgress({ namespace, directory })
  cleanup.defer(egress.stop)
  const client = startProgramIn(namespace, node('ask', nearAddress))
  cleanup.defer(client.stop)

  const connect = figureOf('relay-connect', `A connection through the relay to its first byte (p50 of ${connections})`)
  const receive = { ...figureOf('relay-receive', `${megabytes} MB received through the relay`), unit: 'MB/s' as const }
  const idle = { ...figureOf('relay-memory', 'Memory of the relay without connections'), unit: 'MiB' as const }
  idle.samples.push(await proportionalMiB(egress.pid))
  await client.ask(`keep ${virtualAddress} ${openAtATime}`)
  const open = {
    ...figureOf('relay-memory-500', `Memory of the relay with ${openAtATime} connections`),
    unit: 'MiB' as const,
  }
  open.samples.push(await proportionalMiB(egress.pid))
  for (let round = 0; round < rounds; round++) {
    for (const [target, samples] of [
      [publicAddress, 'floorSamples'],
      [virtualAddress, 'samples'],
    ] as const) {
      connect[samples].push(percentile(await askForNumbers(client, `connect ${target} ${connections}`), 0.5))
      const [milliseconds = Number.NaN] = await askForNumbers(client, `receive ${target} ${megabytes * 1_000_000}`)
      receive[samples].push((megabytes * 1000) / milliseconds)
    }
  }
  return [
    { ...connect, floorTitle },
    { ...receive, floorTitle, target: { minRatio: 0.6 } },
    { ...idle, target: { maxP50: 70 } },
    { ...open, target: { maxP50: 120 } },
  ]
}

function figureOf(id: string, title: string): Figure {
  return emptyFigure({ id, title, floorTitle: null, target: null })
}

async function joinNamespaces(namespace: string, outside: string): Promise<void> {
  const link = 'pair0'
  await run('ip', ['-n', namespace, 'link', 'add', link, 'type', 'veth', 'peer', 'name', link, 'netns', outside])
  for (const [each, address] of [
    [namespace, nearAddress],
    [outside, publicAddress],
  ] as const) {
    await run('ip', ['-n', each, 'addr', 'add', `${address}/24`, 'dev', link])
    for (const name of ['lo', link]) await run('ip', ['-n', each, 'link', 'set', name, 'up'])
  }
  await run('ip', ['-n', namespace, 'addr', 'add', `${virtualAddress}/32`, 'dev', 'lo'])
  await run('ip', ['netns', 'exec', namespace, 'sysctl', '-qw', 'net.ipv4.ip_unprivileged_port_start=0'])
}

async function startEgress({ namespace, directory }: { namespace: string; directory: string }) {
  const orders = path.join(directory, 'orders.sock')
  const environment = {
    THREADBOX_EGRESS_SOCKET: path.join(directory, 'egress.sock'),
    THREADBOX_EGRESS_ORDERS_SOCKET: orders,
    THREADBOX_EGRESS_NAME_SERVER: '127.0.0.53',
  }
  const egress = startProgramIn(namespace, [path.join(directory, 'egress/main.js')], environment)
  await egress.next()
  const name = 'pass.example.org'
  const sandbox = {
    sandboxId: 's0000000000000000000a',
    address: nearAddress,
    kind: 'allowlist',
    names: [`${name}:${port}`],
  }
  await order(orders, { path: '/v1/relay/names', body: { names: [{ address: virtualAddress, name }] } })
  await order(orders, { path: '/v1/relay/sandbox', body: { ...sandbox, brokered: [] } })
  return egress
}

async function order(socketPath: string, { path: at, body }: { path: string; body: unknown }): Promise<void> {
  const sent = request({ socketPath, path: at, method: 'POST', agent: false }).end(JSON.stringify(body))
  const [response] = await once(sent, 'response')
  response.resume()
  if (response.statusCode !== 204) throw new Error(`the relay responded ${response.statusCode}`)
}

async function proportionalMiB(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1024
}

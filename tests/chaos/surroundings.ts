import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startProgramIn } from '../stack/program-in-namespace.ts'
import { makeTestCertificates } from '../stack/test-certificates.ts'
import { startRebindingNameServer } from '../system/isolation/rebinding-name-server.ts'
import { addNeighbor } from '../system/isolation/test-machine.ts'

const addresses = {
  allowed: '198.51.100.90',
  /** No policy has its name, except that of a sandbox which shows that it can be reached. */
  forbidden: '198.51.100.91',
  /** On and off the policies. */
  sometimes: '198.51.100.92',
  api: '198.51.100.93',
} as const

export const echoPort = 8181
export const secretHost = 'api.site.test'
export const secretValue = 'sk-live-9cR2mWq7ZtY4pLk1'
export const forbiddenAddress = addresses.forbidden

/** What arrived so far. Keys are tokens of threads. */
export type Arrived = {
  /** Bytes and connections of any kind. */
  forbidden: number
  /** Bytes by token. */
  sometimes: Record<string, number>
  /** Requests that had the secret’s value, by the token in their path. */
  valued: Record<string, number>
}

/** The internet of a chaos run, in a namespace of this machine: hosts that count what reaches them, and their names. */
export type Surroundings = AsyncDisposable & {
  hostEnvironment: Record<string, string>
  /** Everything that was sent before this call is counted. */
  arrived(): Promise<Arrived>
  /** Forbidden names that the name server was asked for. */
  forbiddenNames(): string[]
}

/** Reports its counts for each line that it gets, once all that waited in its sockets is counted. */
const program = `
  const { readFileSync } = require('node:fs')
  const { createServer } = require('node:net')
  const { createSocket } = require('node:dgram')
  const { directory, addresses, value, port } = JSON.parse(process.argv[1])
  const tls = { key: readFileSync(directory + '/host.key'), cert: readFileSync(directory + '/host.pem') }
  const counts = { forbidden: 0, sometimes: {}, valued: {} }
  const waits = []
  const add = (counted, token, by) => { counted[token] = (counted[token] ?? 0) + by }
  const quiet = (socket) => socket.on('error', () => undefined)
  const listen = (server, at, address) => waits.push(new Promise((resolve) => server.listen(at, address, resolve)))
  listen(createServer((socket) => quiet(socket).pipe(socket)), port, addresses.allowed)
  listen(createServer((socket) => quiet(socket).on('data', (data) => {
    add(counts.sometimes, data.toString().trim(), data.length)
    socket.write(data)
  })), port, addresses.sometimes)
  for (const at of [53, 80, 443, port]) {
    listen(createServer((socket) => {
      counts.forbidden += 1
      quiet(socket).on('data', (data) => { counts.forbidden += data.length; socket.write(data) })
    }), at, addresses.forbidden)
  }
  for (const at of [53, 443]) {
    const socket = createSocket('udp4').on('message', (data) => { counts.forbidden += data.length })
    waits.push(new Promise((resolve) => socket.bind(at, addresses.forbidden, resolve)))
  }
  listen(require('node:https').createServer(tls, (request, response) => {
    const isValued = JSON.stringify([request.url, request.rawHeaders]).includes(value)
    if (isValued) add(counts.valued, request.url.slice(1), 1)
    response.end(isValued ? 'real' : 'other')
  }), 443, addresses.api)
  process.stdin.on('data', () => setTimeout(() => console.log(JSON.stringify(counts)), 50))
  Promise.all(waits).then(() => console.log('ready'))
`

export async function startSurroundings(): Promise<Surroundings> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'chaos-'))
  cleanup.defer(() => rm(directory, { recursive: true }))
  await makeTestCertificates(directory, [secretHost])
  const lan = await addNeighbor({ subnet: 90, addresses: Object.values(addresses), address6: 'fd77:90::2' })
  cleanup.defer(() => lan.remove())
  const order = JSON.stringify({ directory, addresses, value: secretValue, port: echoPort })
  const hosts = startProgramIn(lan.namespace, ['-e', program, '--', order])
  cleanup.defer(hosts.stop)
  if ((await hosts.next()) !== 'ready') throw new Error('the hosts around the installation did not start')
  const asked = new Set<string>()
  const names = await startRebindingNameServer(
    Object.fromEntries(Object.entries(addresses).map(([name, address]) => [`${name}.site.test`, address])),
    { onAsked: (name) => void asked.add(name) },
  )
  cleanup.defer(() => names.close())
  const kept = cleanup.move()
  let turn: Promise<unknown> = Promise.resolve()
  return {
    hostEnvironment: {
      THREADBOX_NAME_SERVERS: `127.0.0.1:${names.port}`,
      THREADBOX_EXTRA_CERTIFICATES: path.join(directory, 'authority.pem'),
    },
    arrived: async () => {
      const reply = turn.then(() => hosts.ask('report'))
      turn = reply.catch(() => undefined)
      return JSON.parse(await reply) as Arrived
    },
    forbiddenNames: () => [...asked].filter((name) => name.includes('forbidden')),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

import { createServer } from 'node:net'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { services } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTestGuest, type TestGuest } from '../guest.test-utils.ts'
import { reachableAddress } from './listeners.ts'

const { ServiceState, ServiceProblem } = services
type StartRequest = Omit<MessageInitShape<typeof services.StartServiceRequestSchema>, '$typeName'>

// Login shells and process tables of a busy machine take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let guest: TestGuest
const started = new Set<string>()
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(async () => {
  for (const name of started) await guest.services.removeService({ name })
  started.clear()
  await guest[Symbol.asyncDispose]()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function start(name: string, request: StartRequest): Promise<services.ServiceInfo> {
  started.add(name)
  const key = request.key ?? `${name}-1`
  const { service } = await guest.services.startService({ readyTimeoutMs: 20_000, ...request, name, key })
  if (service === undefined) throw new Error('no service in the answer')
  return service
}

/** The first snapshot that shows what a test waits for. */
async function seen<Found>(find: (snapshot: services.WatchServicesResponse_Snapshot) => Found | undefined) {
  const over = AbortSignal.timeout(50_000)
  for await (const { event } of guest.services.watchServices({}, { signal: over })) {
    const found = event.case === 'snapshot' ? find(event.value) : undefined
    if (found !== undefined) return found
  }
  throw new Error('the watch ended')
}

function inState(name: string, state: services.ServiceState): Promise<services.ServiceInfo> {
  return seen((snapshot) => snapshot.services.find((service) => service.name === name && service.state === state))
}

const httpServer = (port: number) => `exec python3 -m http.server ${port} --bind 127.0.0.1`

test('an invalid name, port, variable or directory is refused, and nothing starts', async () => {
  const codeOf = (request: StartRequest) =>
    guest.services
      .startService({ key: JSON.stringify(request), name: 'web', command: 'true', port: 8000, ...request })
      .then(
        ({ service }) => service?.problem,
        (error: unknown) => ConnectError.from(error).code,
      )
  expect(await codeOf({ name: '../web' })).toBe(Code.InvalidArgument)
  expect(await codeOf({ port: 0 })).toBe(Code.InvalidArgument)
  expect(await codeOf({ envs: { 'a=b': 'c' } })).toBe(Code.InvalidArgument)
  expect(await codeOf({ command: 'a\0b' })).toBe(Code.InvalidArgument)
  expect(await codeOf({ cwd: '/no/such/directory' })).toBe(ServiceProblem.NOT_STARTED)
  expect(await codeOf({ port: 49_983 })).toBe(ServiceProblem.PORT_TAKEN)
  await expect(guest.services.readServiceLog({ name: '../../etc' })).rejects.toThrow(/has no output/)
})

test('O4: a program that ends shows its exit code and its last lines', async () => {
  await start('broken', { command: 'echo first; echo "no such module" >&2; exit 3', port: await freePort() })
  const failed = await inState('broken', ServiceState.FAILED)
  expect(failed).toMatchObject({ problem: ServiceProblem.EXITED, exitCode: 3 })
  expect(Buffer.from(failed.lastLines).toString()).toBe('first\nno such module\n')
})

test('a program on another port is reported with that port, and keeps running', async () => {
  const [port, wanted] = [await freePort(), await freePort()]
  await start('lost', { command: httpServer(port), port: wanted, readyTimeoutMs: 1500 })
  const failed = await inState('lost', ServiceState.FAILED)
  expect(failed.problem).toBe(ServiceProblem.NOT_READY)
  expect(failed.message).toContain(`listens on port ${port} instead`)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
})

test('a service that stops listening while its process keeps running is no longer running, until it listens again', async () => {
  const port = await freePort()
  const program = [
    "const { createServer } = require('http')",
    "const listen = () => createServer((_, answer) => answer.end()).listen(process.env.PORT, '127.0.0.1')",
    'let server = listen()',
    "process.on('SIGUSR1', () => { server.close(); server.closeAllConnections() })",
    "process.on('SIGUSR2', () => { server = listen() })",
    'setInterval(() => {}, 1000)',
  ].join('\n')
  const { pid } = await start('deaf', { command: `exec node -e "${program}"`, port })
  await inState('deaf', ServiceState.RUNNING)
  process.kill(pid, 'SIGUSR1')
  const failed = await inState('deaf', ServiceState.FAILED)
  expect(failed.problem).toBe(ServiceProblem.NOT_ANSWERING)
  expect(failed.message).toBe(`Nothing is listening on port ${port} anymore. The process is still running.`)
  process.kill(pid, 'SIGUSR2')
  expect((await inState('deaf', ServiceState.RUNNING)).pid).toBe(pid)
})

test('a program that tries its port over and over before it listens is not reported as blocked by another', async () => {
  const port = await freePort()
  const program = [
    'import http.server, os, socket, time',
    "address = ('127.0.0.1', int(os.environ['PORT']))",
    'end = time.monotonic() + 2',
    'while time.monotonic() < end:',
    '  with socket.socket() as tried:',
    '    tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)',
    '    tried.bind(address)',
    '    tried.listen()',
    'http.server.HTTPServer(address, http.server.SimpleHTTPRequestHandler).serve_forever()',
  ].join('\n')
  await start('trying', { command: `exec python3 -c "${program}"`, port })
  const settled = await seen(({ services: all }) =>
    all.find(({ name, state }) => name === 'trying' && state !== ServiceState.STARTING),
  )
  expect(settled).toMatchObject({ state: ServiceState.RUNNING, message: '' })
})

test('a port that another program has is a clear error, before the start and after it', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const refused = await start('web', { command: httpServer(port), port })
  expect(refused).toMatchObject({ state: ServiceState.FAILED, problem: ServiceProblem.PORT_TAKEN })
  server.close()
})

test('O4: a server on 127.0.0.1 is running once it responds; the same key again starts nothing', async () => {
  const port = await freePort()
  const { pid } = await start('web', { command: httpServer(port), port })
  await inState('web', ServiceState.RUNNING)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
  expect((await start('web', { command: httpServer(port), port })).pid).toBe(pid)
  const { data, offset, dropped } = await guest.services.readServiceLog({ name: 'web' })
  expect(Buffer.from(data).toString()).toContain('GET / HTTP')
  expect([offset, dropped]).toEqual([0n, 0n])
})

test('O4: a listener on all addresses of both families is checked over IPv4, the only family that a sandbox has', () => {
  expect(['::', '0.0.0.0', '127.0.0.1', '127.0.0.2'].map(reachableAddress)).toEqual([
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.2',
  ])
})

test('O10: a start under the same name, or on the same port, ends the previous service', async () => {
  const port = await freePort()
  const first = await start('one', { command: httpServer(port), port })
  await inState('one', ServiceState.RUNNING)
  const second = await start('one', { key: 'one-2', command: httpServer(port), port })
  await inState('one', ServiceState.RUNNING)
  expect(() => process.kill(first.pid, 0)).toThrow()
  await start('two', { command: httpServer(port), port })
  const names = await seen(({ services: list }) =>
    list.some(({ state }) => state === ServiceState.RUNNING) ? list.map(({ name }) => name) : undefined,
  )
  expect(names).toEqual(['two'])
  expect(() => process.kill(second.pid, 0)).toThrow()
})

test('stopping ends everything that came out of it, also what ignores SIGTERM', async () => {
  const port = await freePort()
  const command = `trap "" TERM; python3 -m http.server ${port} --bind 127.0.0.1 & (setsid sleep 600 &) ; wait`
  const { pid } = await start('stubborn', { command, port })
  await inState('stubborn', ServiceState.RUNNING)
  await guest.services.stopService({ name: 'stubborn' })
  await inState('stubborn', ServiceState.STOPPED)
  expect(() => process.kill(pid, 0)).toThrow()
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  expect((await guest.run('pgrep -f "[s]leep 600" || true')).text).toBe('')
})

test('a port that an ordinary command opens is reported with its command, and services are not among them', async () => {
  const [port, other] = [await freePort(), await freePort()]
  await start('web', { command: httpServer(other), port: other })
  await inState('web', ServiceState.RUNNING)
  await guest.run(
    `nohup python3 -m http.server ${port} --bind 127.0.0.1 > /dev/null 2>&1 & echo $! > ${guest.directory}/pid`,
  )
  const open = await seen(({ openPorts }) => (openPorts.some((one) => one.port === port) ? openPorts : undefined))
  expect(open.find((one) => one.port === port)?.command).toContain(`http.server ${port}`)
  expect(open.some((one) => one.port === other)).toBe(false)
  await guest.run(`kill $(cat ${guest.directory}/pid)`)
  await seen(({ openPorts }) => (openPorts.some((one) => one.port === port) ? undefined : true))
})

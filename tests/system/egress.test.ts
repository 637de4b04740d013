import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths, hostSandboxSchema, namesAskedSchema } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgramIn } from '../stack/program-in-namespace.ts'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import { addNeighbor } from './isolation/test-machine.ts'

const publicAddress = '198.51.100.81'
const port = 8181
const MiB = 1024 * 1024
const limits = { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB }

/** Sends back what it gets, so that a connection shows whether it is still whole. */
const echo = `
  const net = require('node:net')
  net.createServer((socket) => socket.on('error', () => {}).pipe(socket).on('error', () => {}))
    .listen(${port}, '${publicAddress}', () => console.log('ready'))
`

/** Keeps a connection, and writes its state with every byte: `whole`, or why it broke. */
const holder = `
import socket, sys, time
held = socket.create_connection((sys.argv[1], ${port}), 5)
held.settimeout(float(sys.argv[2]))
while True:
    try:
        held.sendall(b'x')
        state = 'whole' if held.recv(1) == b'x' else 'broken: closed'
    except OSError as error:
        state = 'broken: ' + type(error).__name__
    open('/tmp/held', 'w').write(state)
    if state != 'whole': break
    time.sleep(0.05)
`

const stack = new AsyncDisposableStack()
let host: TestHost

beforeAll(async () => {
  const lan = await addNeighbor({ subnet: 81, addresses: [publicAddress], address6: 'fd77:81::2' })
  stack.defer(() => lan.remove())
  const server = startProgramIn(lan.namespace, ['-e', echo])
  stack.defer(server.stop)
  expect(await server.next()).toBe('ready')
  const nameServer = await startRebindingNameServer({
    'echo.site.test': publicAddress,
    'same.site.test': publicAddress,
  })
  stack.defer(() => nameServer.close())
  host = await startTestHost({ environment: { THREADBOX_NAME_SERVERS: `127.0.0.1:${nameServer.port}` } })
  stack.defer(() => host.close())
})
afterAll(() => stack.disposeAsync())

type Egress = { kind: 'open'; brokered?: string[] } | { kind: 'none' } | { kind: 'allowlist'; names: string[] }
type Box = { sandboxId: string; bootId: string }
const open: Egress = { kind: 'open' }
const none: Egress = { kind: 'none' }

async function start(egress: Egress): Promise<Box> {
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  expect(await host.request('PUT', hostPaths.get(sandboxId), { limits, egress })).toMatchObject({ status: 200 })
  const started = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(started).toMatchObject({ status: 200, body: { actual: 'ready' } })
  return { sandboxId, bootId }
}

async function change({ sandboxId }: Box, egress: Egress): Promise<void> {
  const startedAt = performance.now()
  expect(await host.request('PATCH', hostPaths.get(sandboxId), { egress })).toMatchObject({ status: 200 })
  console.log(`${JSON.stringify(egress)} applied in ${Math.round(performance.now() - startedAt)} ms`)
}

const egressOf = async ({ sandboxId }: Box) =>
  hostSandboxSchema.parse((await host.request('GET', hostPaths.get(sandboxId))).body).egress

/** `reached`, or the name of the error with which a new connection fails. */
async function connect({ sandboxId }: Box, target = publicAddress, at = port): Promise<string> {
  const attempt = `import socket
try:
    made = socket.create_connection(('${target}', ${at}), 3)
    made.settimeout(5)
    made.sendall(b'x')
    print('reached' if made.recv(1) == b'x' else 'closed')
except OSError as error: print(type(error).__name__)`
  return (await host.run(sandboxId, `python3 -c "${attempt}"`)).output.trim()
}

async function hold({ sandboxId }: Box, target = publicAddress, timeoutSeconds = 0.5): Promise<void> {
  const encoded = Buffer.from(holder).toString('base64')
  const begin = `rm -f /tmp/held; echo ${encoded} | base64 -d > /tmp/holder.py; nohup python3 /tmp/holder.py ${target} ${timeoutSeconds} > /dev/null 2>&1 &`
  await host.run(sandboxId, `${begin}\nuntil grep -q whole /tmp/held 2> /dev/null; do sleep 0.05; done`)
}

const held = async ({ sandboxId }: Box) => (await host.run(sandboxId, 'cat /tmp/held')).output

/** A connection whose other side no longer gets anything breaks at its next byte, after half a second at most. */
async function expectBroken(box: Box): Promise<void> {
  await expect.poll(() => held(box), { timeout: 5000, interval: 100 }).toMatch(/^broken/)
}

test('G2: the egress of a new sandbox applies from its first connection', async () => {
  const box = await start(none)
  expect(await connect(box)).toBe('ConnectionRefusedError')
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

test('G2: a change ends open connections, and a restart of the host daemon keeps it', async () => {
  const box = await start(open)
  await hold(box)
  expect(await connect(box)).toBe('reached')
  await change(box, none)
  expect(await connect(box)).toBe('ConnectionRefusedError')
  await expectBroken(box)
  await host.kill('SIGKILL')
  await host.restart()
  expect([await egressOf(box), await connect(box)]).toEqual([none, 'ConnectionRefusedError'])
  await change(box, open)
  // A busy machine can take longer for a response than what shows that a connection is broken.
  await hold(box, publicAddress, 30)
  await host.kill('SIGKILL')
  await host.restart()
  await delay(1000)
  expect([await held(box), await connect(box)]).toEqual(['whole', 'reached'])
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

test('G2: a sandbox that is paused wakes with the egress that it was given in the meantime', async () => {
  const box = await start(open)
  await hold(box)
  const { bootId } = box
  expect(await host.request('POST', hostPaths.pause(box.sandboxId), { bootId })).toMatchObject({ status: 200 })
  await change(box, none)
  expect(await host.request('POST', hostPaths.wake(box.sandboxId), { bootId })).toMatchObject({ status: 200 })
  expect([await egressOf(box), await connect(box)]).toEqual([none, 'ConnectionRefusedError'])
  await expectBroken(box)
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

test('G2: a fork has its own egress from its first moment, and its source keeps its own', async () => {
  const source = await start(open)
  await hold(source)
  const fork = { sandboxId: host.newSandboxId(), bootId: host.newBootId() }
  const order = { source: { sandboxId: source.sandboxId, snapshotId: null }, hostname: 'fork', limits, egress: none }
  const made = await host.request('POST', hostPaths.fork(fork.sandboxId), { ...order, bootId: fork.bootId })
  expect(made).toMatchObject({ status: 200, body: { from: 'memory' } })
  expect(await connect(fork)).toBe('ConnectionRefusedError')
  await expectBroken(fork)
  expect([await held(source), await connect(source)]).toEqual(['whole', 'reached'])
  for (const { sandboxId } of [source, fork]) await host.request('DELETE', hostPaths.get(sandboxId))
})

test('G2: names that the egress refuses are kept for the panel and for the result of a call', async () => {
  const box = await start({ kind: 'allowlist', names: ['allowed.example'] })
  await host.run(box.sandboxId, 'getent hosts refused.example; true')
  const askedOf = async (query: string) =>
    namesAskedSchema.parse((await host.request('GET', `${hostPaths.namesAsked(box.sandboxId)}${query}`)).body)
  expect((await askedOf('')).refused.map(({ name }) => name)).toContain('refused.example')
  await delay(100)
  expect((await askedOf('?withinMs=50')).refused).toEqual([])
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

const list = (...names: string[]): Egress => ({ kind: 'allowlist', names })

test('G2: with a list a sandbox reaches its names at their ports, and neither their addresses nor other names there', async () => {
  const box = await start(list(`echo.site.test:${port}`))
  expect(await connect(box, 'echo.site.test')).toBe('reached')
  expect(await connect(box, publicAddress)).toBe('ConnectionRefusedError')
  expect(await connect(box, 'same.site.test')).toBe('gaierror')
  for (const at of [443, port + 1])
    expect(await connect(box, 'echo.site.test', at)).toMatch(/^Connection(Refused|Reset)Error$/)
  const asked = async () =>
    namesAskedSchema.parse((await host.request('GET', hostPaths.namesAsked(box.sandboxId))).body).refused
  await expect.poll(async () => (await asked()).map(({ name }) => name)).toContain('echo.site.test:443')
  await change(box, list('same.site.test', `*.site.test:${port}`))
  expect([await connect(box, 'echo.site.test'), await connect(box, 'same.site.test')]).toEqual(['reached', 'reached'])
  await change(box, list(`same.site.test:${port}`))
  expect([await connect(box, 'echo.site.test'), await connect(box, 'same.site.test')]).toEqual(['gaierror', 'reached'])
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

test('G2: a list that gains a name keeps connections, and one that loses it ends them when the request returns', async () => {
  const box = await start(list(`echo.site.test:${port}`))
  await hold(box, 'echo.site.test')
  await change(box, list(`echo.site.test:${port}`, 'other.site.test'))
  await delay(500)
  expect(await held(box)).toBe('whole')
  const startedAt = performance.now()
  await change(box, list('other.site.test'))
  expect(performance.now() - startedAt).toBeLessThan(5000)
  await expectBroken(box)
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

test('G2: a connection through the relay survives a pause, and a fork and a restarted daemon follow the list', async () => {
  const box = await start(list(`echo.site.test:${port}`))
  const { bootId } = box
  await hold(box, 'echo.site.test', 30)
  expect(await host.request('POST', hostPaths.pause(box.sandboxId), { bootId })).toMatchObject({ status: 200 })
  expect(await host.request('POST', hostPaths.wake(box.sandboxId), { bootId })).toMatchObject({ status: 200 })
  await delay(500)
  expect([await held(box), await connect(box, 'echo.site.test')]).toEqual(['whole', 'reached'])
  const fork = { sandboxId: host.newSandboxId(), bootId: host.newBootId() }
  const order = { source: { sandboxId: box.sandboxId, snapshotId: null }, hostname: 'fork', limits }
  const forked = { ...order, egress: list(`same.site.test:${port}`), bootId: fork.bootId }
  expect(await host.request('POST', hostPaths.fork(fork.sandboxId), forked)).toMatchObject({ status: 200 })
  expect([await connect(fork, 'same.site.test'), await connect(fork, 'echo.site.test')]).toEqual([
    'reached',
    'gaierror',
  ])
  await host.kill('SIGKILL')
  await host.restart()
  await expect.poll(() => connect(box, 'echo.site.test'), { timeout: 20_000 }).toBe('reached')
  expect([await connect(box, publicAddress), await connect(fork, 'same.site.test')]).toEqual([
    'ConnectionRefusedError',
    'reached',
  ])
  for (const { sandboxId } of [box, fork]) await host.request('DELETE', hostPaths.get(sandboxId))
})

test('G2: a killed egress process is replaced by one that knows every sandbox, and its connections end', async () => {
  const box = await start(list(`echo.site.test:${port}`))
  await hold(box, 'echo.site.test', 30)
  const killed = await host.egressPid()
  process.kill(killed, 'SIGKILL')
  const killedAt = performance.now()
  await expectBroken(box)
  await expect.poll(() => connect(box, 'echo.site.test'), { timeout: 20_000, interval: 50 }).toBe('reached')
  console.log(`the relay connects again ${Math.round(performance.now() - killedAt)} ms after it was killed`)
  expect(await host.egressPid()).not.toBe(killed)
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

test('G2: an address that stands for a name stands for it after a restart of the daemon, too', async () => {
  const box = await start(list('*.site.test'))
  const addressOf = async (name: string) =>
    (await host.run(box.sandboxId, `getent hosts ${name} | cut -d ' ' -f 1`)).output.trim()
  const before = [await addressOf('one.site.test'), await addressOf('two.site.test')]
  expect(new Set(before).size).toBe(2)
  for (const address of before) expect(address).toMatch(/^198\.19\./)
  await host.kill('SIGKILL')
  await host.restart()
  await expect.poll(() => addressOf('two.site.test'), { timeout: 20_000 }).toBe(before[1])
  expect(await addressOf('one.site.test')).toBe(before[0])
  await host.request('DELETE', hostPaths.get(box.sandboxId))
})

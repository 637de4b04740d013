import { once } from 'node:events'
import { createServer } from 'node:net'
import { hostPaths, namesAskedSchema } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../stack/in-threads.ts'
import { startInstallation } from '../stack/installation.ts'
import { startProgramIn } from '../stack/program-in-namespace.ts'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import { addNeighbor, type Neighbor, run } from './isolation/test-machine.ts'

const MiB = 1024 * 1024
const limits = { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB }
const [port, otherPort] = [8187, 8188]
const [name, otherName, machineName] = ['git.corp.test', 'same.corp.test', 'machine.corp.test']
/** Beyond the neighbor, in another private network. */
const elsewhere = '172.20.87.2'

const echo = `
  const net = require('node:net')
  const serve = (at) => net.createServer((socket) => socket.on('error', () => {}).pipe(socket).on('error', () => {}))
    .listen(at, '0.0.0.0')
  serve(${otherPort}); serve(${port}).once('listening', () => console.log('ready'))
`
const stack = new AsyncDisposableStack()
let host: TestHost
let environment: Record<string, string>
let lan: Neighbor
let addresses: Record<string, string | readonly string[]>
/** All tests change what it reaches. */
let box: Box

beforeAll(async () => {
  lan = await addNeighbor({ subnet: 87, addresses: [elsewhere], address6: 'fd77:87::2' })
  stack.defer(() => lan.remove())
  const server = startProgramIn(lan.namespace, ['-e', echo])
  stack.defer(server.stop)
  expect(await server.next()).toBe('ready')
  addresses = { [name]: lan.first, [otherName]: lan.first, [machineName]: lan.gateway }
  const nameServer = await startRebindingNameServer(addresses)
  stack.defer(() => nameServer.close())
  environment = { THREADBOX_NAME_SERVERS: `127.0.0.1:${nameServer.port}` }
  host = await startTestHost({ environment })
  stack.defer(() => host.close())
  box = await start(open())
})
afterAll(() => stack.disposeAsync())

type Private = { name: string; port: number; range: string }
type Egress = ({ kind: 'open' } | { kind: 'allowlist'; names: string[] }) & { privateAddresses?: Private[] }
type Box = { sandboxId: string; bootId: string }
const entry = (part: Partial<Private> = {}): Private => ({ name, port, range: '10.254.87.0/24', ...part })
const open = (...privateAddresses: Private[]): Egress => ({ kind: 'open', privateAddresses })
const list = (names: string[], ...privateAddresses: Private[]): Egress => ({
  kind: 'allowlist',
  names,
  privateAddresses,
})

async function start(egress: Egress): Promise<Box> {
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  expect(await host.request('PUT', hostPaths.get(sandboxId), { limits, egress })).toMatchObject({ status: 200 })
  const started = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(started).toMatchObject({ status: 200, body: { actual: 'ready' } })
  return { sandboxId, bootId }
}
async function change({ sandboxId }: Box, egress: Egress): Promise<void> {
  expect(await host.request('PATCH', hostPaths.get(sandboxId), { egress })).toMatchObject({ status: 200 })
}

const tries = `
import socket, sys
for target in sys.argv[1:]:
    host, at = target.rsplit(':', 1)
    try:
        made = socket.create_connection((host, int(at)), 3)
        made.settimeout(5)
        made.sendall(b'x')
        print(target, 'reached' if made.recv(1) == b'x' else 'closed')
    except OSError as error: print(target, type(error).__name__)
`
function tryAll(targets: readonly string[]): string {
  const program = Buffer.from(tries).toString('base64')
  return `echo ${program} | base64 -d > /tmp/tries.py; python3 /tmp/tries.py ${targets.join(' ')}`
}
/** For each `host:port`: `reached`, or the name of the error with which a connection failed. */
async function connect({ sandboxId }: Box, ...targets: string[]): Promise<string[]> {
  return (await host.run(sandboxId, tryAll(targets))).output
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[1] ?? line)
}
const reaches = async (box: Box, target = `${name}:${port}`) => (await connect(box, target))[0]

const holder = `
import socket, time
held = socket.create_connection(('${name}', ${port}), 5)
held.settimeout(30)
while True:
    try:
        held.sendall(b'x')
        state = 'whole' if held.recv(1) == b'x' else 'broken: closed'
    except OSError as error:
        state = 'broken: ' + type(error).__name__
    open('/tmp/held', 'w').write(state + ' ' + str(time.time()))
    if not state.startswith('whole'): break
    time.sleep(0.02)
`
async function hold({ sandboxId }: Box): Promise<void> {
  const program = Buffer.from(holder).toString('base64')
  const begin = `rm -f /tmp/held; echo ${program} | base64 -d > /tmp/holder.py; nohup python3 /tmp/holder.py > /dev/null 2>&1 &`
  await host.run(sandboxId, `${begin}\nuntil grep -q whole /tmp/held 2> /dev/null; do sleep 0.05; done`)
}
const held = async ({ sandboxId }: Box) => (await host.run(sandboxId, 'cat /tmp/held')).output
const refusedOf = async ({ sandboxId }: Box) =>
  namesAskedSchema
    .parse((await host.request('GET', hostPaths.namesAsked(sandboxId))).body)
    .refused.map((each) => `${each.name} ${each.reason}`)

test('G2: this machine reaches the service, its other port, and the other network, without the guard', async () => {
  for (const target of [`${lan.first}/${port}`, `${lan.first}/${otherPort}`, `${elsewhere}/${port}`]) {
    expect(run(`timeout 5 bash -c 'exec 3<>/dev/tcp/${target}; echo x >&3; head -c1 <&3'`)).toBe('x')
  }
})

test.each([
  ['open', open],
  ['a list', (...entries: Private[]) => list([`${name}:${port}`, `${otherName}:${port}`], ...entries)],
])('G2: under %s a listed service is reached, by its name at its port only', async (_, policy) => {
  await change(box, policy())
  expect(await reaches(box)).not.toBe('reached')
  await change(box, policy(entry()))
  const others = [`${name}:${otherPort}`, `${name}:443`, `${otherName}:${port}`, `${lan.first}:${port}`]
  expect(await connect(box, `${name}:${port}`, ...others, `${name}:${port}`)).toEqual([
    'reached',
    ...others.map(() => expect.not.stringMatching('reached')),
    'reached',
  ])
})

test('G2: a name that was pointed elsewhere is refused, with the reason, and not the machine reached', async () => {
  const service = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
  await once(service.listen(port, lan.gateway), 'listening')
  await change(box, open(entry(), entry({ name: machineName })))
  expect(await reaches(box)).toBe('reached')
  for (const rebound of [elsewhere, [lan.first, elsewhere], '169.254.169.254', '127.0.0.1', '198.51.100.87']) {
    addresses[name] = rebound
    expect(await reaches(box), `${rebound}`).toMatch(/^Connection(Reset|Refused)Error$/)
  }
  await expect.poll(() => refusedOf(box)).toContain(`${name}:${port} address-out-of-range`)
  addresses[name] = lan.first
  expect(await connect(box, `${name}:${port}`, `${machineName}:${port}`)).toEqual([
    'reached',
    expect.not.stringMatching('reached'),
  ])
  service.close()
})

test('G2: a removed entry ends open connections, and stays removed after a restart of the daemon', async () => {
  await change(box, open(entry()))
  await hold(box)
  await change(box, open(entry(), entry({ name: otherName })))
  expect([await reaches(box), await held(box)]).toEqual(['reached', expect.stringContaining('whole')])
  const removedAt = Date.now()
  await change(box, open(entry({ name: otherName })))
  await expect.poll(() => held(box)).toMatch(/^broken/)
  const brokenAt = Number((await held(box)).split(' ').at(-1)) * 1000
  console.log(`the connection ended ${Math.round(brokenAt - removedAt)} ms after the order to remove its entry`)
  expect(brokenAt - removedAt).toBeLessThan(5000)
  await host.kill('SIGKILL')
  await host.restart()
  const both = () => connect(box, `${otherName}:${port}`, `${name}:${port}`)
  await expect.poll(both, { timeout: 20_000 }).toEqual(['reached', expect.not.stringMatching('reached')])
})

test('G2: a connection survives a pause, and a sandbox wakes with the entries that it was given while paused', async () => {
  await change(box, list([`${name}:${port}`], entry()))
  await hold(box)
  const { sandboxId, bootId } = box
  const pausedDuring = async (between: () => Promise<void>) => {
    expect(await host.request('POST', hostPaths.pause(sandboxId), { bootId })).toMatchObject({ status: 200 })
    await between()
    expect(await host.request('POST', hostPaths.wake(sandboxId), { bootId })).toMatchObject({ status: 200 })
  }
  await pausedDuring(async () => undefined)
  expect([await reaches(box), await held(box)]).toEqual(['reached', expect.stringContaining('whole')])
  await pausedDuring(() => change(box, list([`${name}:${port}`])))
  // It no longer carries anything; the sandbox learns that when it sends again, on a busy machine after tens of seconds.
  await expect.poll(() => held(box), { timeout: 120_000 }).toMatch(/^broken/)
  expect(await reaches(box)).not.toBe('reached')
})

test('G2: what the owner lists, the panel of a thread and a connection agree, before, while and after it is listed', async () => {
  await using installation = await startInstallation({ hostEnvironment: environment })
  const { network } = installation.client
  const thread = await installation.newThread()
  const target = `${name}:${port}`
  const state = async () => ({
    connection: (await output(thread, tryAll([target]))).trim().split(' ')[1],
    shown: (await network.ofThread(thread.id)).privateNames,
  })
  const unlisted = { connection: expect.not.stringMatching('reached'), shown: [] }
  const listed = { connection: 'reached', shown: [target] }
  const allow = (allowed: string) =>
    network.setForThread(thread.id, { policy: { kind: 'allowlist', names: [allowed], presets: [] } })
  await allow(target)
  expect(await state()).toEqual(unlisted)
  const refused = async () =>
    (await network.ofThread(thread.id)).activity?.refused.map((each) => `${each.name} ${each.reason}`)
  await expect.poll(refused).toContain(`${target} address-private`)
  await network.setPrivateAddresses({ addresses: [entry()] })
  expect(await state()).toEqual(listed)
  await allow(otherName)
  expect(await state()).toEqual(unlisted)
  await network.setForThread(thread.id, { policy: null })
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
  expect(await state()).toEqual(listed)
  await network.setPrivateAddresses({ addresses: [] })
  expect(await state()).toEqual(unlisted)
})

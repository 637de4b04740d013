import { hostPaths } from '@threadbox/protocol/host'
import { type TestHost as HostDaemon, startTestHost as startHostDaemon } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addNeighbor,
  installPrograms,
  probe,
  run,
  startTestHost,
  type TestHost,
  testHostPathInside,
} from './isolation/test-machine.ts'

const port = 8133
const loopbackPort = 8134
const publicAddress = '198.51.100.77'
const neighborAddress6 = 'fd77:77::2'
const privateAddresses = ['10.254.77.2', '172.20.77.3', '192.168.77.3', '100.100.77.3', '169.254.169.254', '192.0.2.78']
const kinds = ['tcp', 'udp', 'icmp'] as const
const MiB = 1024 * 1024
const order = {
  limits: { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB },
  egress: { kind: 'open' },
}

/** The same attempts as in `isolation.test.ts`, by root in real sandboxes, through gVisor’s own network stack. */
describe('a real sandbox', () => {
  const stack = new AsyncDisposableStack()
  let daemon: HostDaemon
  let a: Sandbox
  let b: Sandbox
  let neighbor: TestHost
  let neighborGateway: string
  let machine: TestHost

  beforeAll(async () => {
    const lan = await addNeighbor({
      subnet: 77,
      addresses: [...privateAddresses.slice(1), publicAddress],
      address6: neighborAddress6,
    })
    stack.defer(() => lan.remove())
    neighborGateway = lan.gateway
    const bind = [...privateAddresses, publicAddress, neighborAddress6]
    neighbor = await startOne({ namespace: lan.namespace, ports: [port], bind })
    machine = await startOne({ ports: [port] })
    await startOne({ ports: [loopbackPort], bind: ['127.0.0.1'] })
    daemon = await startHostDaemon()
    stack.defer(() => daemon.close())
    a = await start()
    b = await start()
    await b.asRoot(
      `setsid perl ${testHostPathInside} ${port} > /tmp/log 2>&1 < /dev/null & until grep -q ready /tmp/log; do sleep 0.1; done`,
    )
  })
  afterAll(() => stack.disposeAsync())

  test.each(['tcp', 'udp'] as const)('reaches an address of the internet by %s', async (kind) => {
    expect(await probe({ kind, address: publicAddress, port, inside: a.asRoot })).toMatchObject({ said: 'reached' })
  })

  test('C9: both reach the package index', async () => {
    const command = 'cd /tmp && pip download --quiet --no-deps --no-cache-dir --dest wheels six && ls wheels'
    for (const sandbox of [a, b]) {
      expect((await daemon.run(sandbox.sandboxId, command)).output).toMatch(/^six-.*\.whl$/m)
    }
  })

  test.each(privateAddresses)('G2: does not reach %s, which the machine reaches', async (address) => {
    for (const kind of kinds) {
      expect(await probe({ kind, address, port }), `${kind} from outside`).toMatchObject({ said: 'reached' })
    }
    await expectNothing({ address })
  })

  test('C9: does not reach another sandbox, which the gateway reaches', async () => {
    for (const kind of ['tcp', 'udp'] as const) {
      // Only the gateway’s user can, in the router’s namespace.
      const asGateway = { from: `tbr-${daemon.installation}`, asUser: 65_533 }
      expect(await probe({ kind, address: b.address, port, ...asGateway })).toMatchObject({ said: 'reached' })
    }
    await expectNothing({ address: b.address })
    expect(await b.asRoot('cat /tmp/log')).not.toContain(lastTokens.at(-1))
  })

  test('G2: does not reach services of the machine on any of its addresses, loopback included', async () => {
    const uplink = /src (\S+)/.exec(run('ip route get 1.1.1.1'))?.[1] ?? ''
    const machineEnd = a.gateway.replace(/\d+$/, '2')
    for (const address of [machineEnd, uplink, neighborGateway]) {
      expect(await probe({ kind: 'tcp', address, port }), address).toMatchObject({ said: 'reached' })
      await expectNothing({ address })
    }
    expect(await probe({ kind: 'tcp', address: '127.0.0.1', port: loopbackPort })).toMatchObject({ said: 'reached' })
    const own = await probe({ kind: 'tcp', address: '127.0.0.1', port: loopbackPort, inside: a.asRoot })
    expect(own.isReached).toBe(false)
  })

  test('G2: has no IPv6, also when root adds an address', async () => {
    expect(await probe({ kind: 'tcp', address: neighborAddress6, port })).toMatchObject({ said: 'reached' })
    await a.asRoot('ip -6 addr add fd78::2/64 dev eth0; ip -6 route add default via fe80::1 dev eth0; true')
    for (const address of [neighborAddress6, 'fd77:77::1', 'ff02::1%eth0']) await expectNothing({ address })
  })

  test('C9: files, processes, packages, ports and variables of one are not in the other', async () => {
    const make = [
      'export ONLY_IN_A=yes',
      'echo secret > ~/only-in-a',
      'pip install --quiet --no-deps cowsay',
      '(exec -a only-in-a sleep 600) > /dev/null 2>&1 &',
      'setsid python3 -m http.server 8777 > /dev/null 2>&1 < /dev/null &',
      'until python3 -c "import socket; socket.create_connection((\'127.0.0.1\', 8777))" 2> /dev/null; do sleep 0.1; done',
    ].join('\n')
    const listing = [
      'echo "variable $(printenv ONLY_IN_A || echo none)"',
      'echo "file $(cat ~/only-in-a 2> /dev/null || echo none)"',
      'echo "package $(python3 -c "import cowsay; print(\'there\')" 2> /dev/null || echo none)"',
      'echo "process $(pgrep -f "^only-in-a" > /dev/null && echo there || echo none)"',
      'echo "port $(python3 -c "import socket; socket.create_connection((\'127.0.0.1\', 8777)); print(\'there\')" 2> /dev/null || echo none)"',
    ].join('\n')
    await daemon.run(a.sandboxId, make)
    const expected = { a: ['yes', 'secret', 'there', 'there', 'there'], b: ['none', 'none', 'none', 'none', 'none'] }
    const words = ['variable', 'file', 'package', 'process', 'port']
    const linesOf = (values: string[]) => words.map((word, index) => `${word} ${values[index]}`).join('\n')
    expect((await daemon.run(a.sandboxId, listing)).output.trim()).toBe(linesOf(expected.a))
    expect((await daemon.run(b.sandboxId, listing)).output.trim()).toBe(linesOf(expected.b))
  })

  type Link = { ifalias?: string; address: string; addr_info: { local: string }[] }
  type Sandbox = {
    sandboxId: string
    address: string
    gateway: string
    mac: string
    asRoot: (command: string) => Promise<string>
  }
  const lastTokens: string[] = []

  /** Tries everything root in the sandbox can send there, and checks whether any of it arrived anywhere. */
  async function expectNothing(options: { address: string }) {
    const { address } = options
    const target = { address, port, inside: a.asRoot }
    const tried: Awaited<ReturnType<typeof probe>>[] = []
    for (const kind of kinds) tried.push(await probe({ ...target, kind }))
    if (!address.includes(':')) tried.push(await probe({ ...target, kind: 'frame', source: a.address, mac: a.mac }))
    const control = await probe({ kind: 'udp', address: publicAddress, port, inside: a.asRoot })
    expect(control).toMatchObject({ said: 'reached' })
    for (const { isReached, said, token } of tried) {
      expect(isReached, said).toBe(false)
      expect(neighbor.hasNoticed(token) || machine.hasNoticed(token), said).toBe(false)
      lastTokens.push(token)
    }
  }

  async function start(): Promise<Sandbox> {
    const sandboxId = daemon.newSandboxId()
    const bootId = daemon.newBootId()
    expect(await daemon.request('PUT', hostPaths.get(sandboxId), order)).toMatchObject({ status: 200 })
    const started = await daemon.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
    expect(started).toMatchObject({ status: 200, body: { actual: 'ready' } })
    const ip = `ip -n tbr-${daemon.installation}`
    const shown = JSON.parse(run(`${ip} -json -details addr show`)) as Link[]
    const link = shown.find(({ ifalias }) => ifalias === sandboxId)
    const gateway = link?.addr_info[0]?.local ?? ''
    const mac = link?.address ?? ''
    const address = gateway.replace(/\d+$/, (last) => String(Number(last) + 1))
    const asRoot = async (command: string) => {
      const quoted = Buffer.from(command).toString('base64')
      return (await daemon.run(sandboxId, `echo ${quoted} | base64 -d | sudo bash`)).output
    }
    await asRoot(await installPrograms())
    return { sandboxId, address, gateway, mac, asRoot }
  }
  async function startOne(options: Parameters<typeof startTestHost>[0]) {
    const host = await startTestHost(options)
    stack.defer(() => host.stop())
    return host
  }
})

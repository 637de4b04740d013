import { randomBytes } from 'node:crypto'
import { findUndenied, type NameRelay, prepareFreePool, type SandboxNetwork } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import {
  addNeighbor,
  holdConnection,
  lookUp,
  type Probe,
  probe,
  run,
  startTestHost,
  type TestHost,
} from './isolation/test-machine.ts'

const port = 8123
const loopbackPort = 8124
const publicAddress = '198.51.100.77'
const onLinkAddress = '198.51.100.78'
const laterAddress = '198.51.100.99'
const azureAddress = '168.63.129.16'
const neighborAddress6 = 'fd77:77::2'
const privateAddresses = [
  '10.254.77.2',
  '172.20.77.2',
  '192.168.77.2',
  '100.100.77.2',
  '169.254.77.2',
  '169.254.169.254',
  '192.0.0.192',
  '192.0.2.77',
  '198.19.250.2',
  '240.0.77.2',
]
const kinds = ['tcp', 'udp', 'icmp'] as const
const relayPort = 8125
const egressUserId = 64_530
/** Names that addresses stand for, in this order from the start of the range, and no process that connects to them. */
const relayedNames = ['public.test', 'other.test']
const noRelay: Omit<NameRelay, 'addressFor'> = {
  setSandbox: async () => undefined,
  removeSandbox: async () => undefined,
  onRefused: () => undefined,
  hold: async () => undefined,
}

/**
 * What a sandbox cannot reach, tried by processes that are root in its namespace and craft their own packets. Every
 * probe first succeeds from outside, so a refusal means the firewall and not a broken probe.
 */
describe('a sandbox’s network', () => {
  const id = randomBytes(2).toString('hex')
  const table = `threadbox_ta${id}`
  const router = `tbr-ta${id}`
  const nft = `ip netns exec ${router} nft`
  const stack = new AsyncDisposableStack()
  let network: SandboxNetwork
  let other: SandboxNetwork
  let a: { namespace: string; address: string; gateway: string; mac: string; router: string }
  let b: typeof a
  let c: typeof a
  let neighbor: TestHost
  let neighborGateway: string
  let neighborFirst: string
  let sandboxB: TestHost
  let machine: TestHost
  /** Stands for `public.test`. Its range depends on those that other installations have. */
  let standIn: string

  beforeAll(async () => {
    const lan = await addNeighbor({
      subnet: 77,
      addresses: [...privateAddresses.slice(1), publicAddress],
      address6: neighborAddress6,
      onLink: [onLinkAddress],
    })
    stack.defer(() => lan.remove())
    neighborGateway = lan.gateway
    neighborFirst = lan.first
    for (const address of [laterAddress, azureAddress]) run(`ip -n ${lan.namespace} addr add ${address}/32 dev eth0`)
    neighbor = await startOne({
      namespace: lan.namespace,
      ports: [port, 25, 465, 587],
      bind: [...privateAddresses, publicAddress, onLinkAddress, laterAddress, azureAddress, neighborAddress6],
    })
    const nameServer = await startRebindingNameServer()
    stack.defer(() => nameServer.close())

    const logger = makeLogger({ process: 'test', level: 'silent' })
    const nameServers = [{ address: '127.0.0.1', port: nameServer.port }]
    const addressFor = async ({ name, range }: { name: string; range: string }) =>
      relayedNames.includes(name) ? range.replace(/0\/18$/, String(relayedNames.indexOf(name) + 1)) : undefined
    const relay = { ...noRelay, addressFor }
    const firewall = { egressUserId }
    const start = async (installation: string) => {
      const { network: made } = await prepareFreePool({ installation, logger, nameServers, relay, firewall })
      stack.defer(() => made.close())
      return made
    }
    network = await start(`ta${id}`)
    other = await start(`tb${id}`)
    const [first = '', second = ''] = network.addresses()
    const [third = ''] = other.addresses()
    a = await attach({ to: network, sandboxId: 'a', address: first })
    b = await attach({ to: network, sandboxId: 'b', address: second })
    c = await attach({ to: other, sandboxId: 'c', address: third })
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'allowlist', names: relayedNames } })
    standIn = await lookUp({ from: a.namespace, server: a.gateway, name: 'public.test' })
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'open' } })
    sandboxB = await startOne({ namespace: b.namespace, ports: [port] })
    await startOne({ namespace: c.namespace, ports: [port] })
    machine = await startOne({ ports: [port] })
    await startOne({ ports: [loopbackPort], bind: ['127.0.0.1'] })
  })
  afterAll(() => stack.disposeAsync())

  test.each(kinds)('reaches an address of the internet by %s', async (kind) => {
    expect(await probe({ kind, address: publicAddress, port, from: a.namespace })).toMatchObject({ said: 'reached' })
  })

  test('packets that root crafts leave with the sandbox’s own address', async () => {
    const { token } = await frame({ address: publicAddress, source: a.address })
    await expect.poll(() => neighbor.hasNoticed(token)).toBe(true)
  })

  test.each(privateAddresses)('G2: does not reach %s, which the machine reaches', async (address) => {
    for (const kind of kinds) {
      expect(await probe({ kind, address, port }), `${kind} from outside`).toMatchObject({ said: 'reached' })
    }
    const tried = await Promise.all(kinds.map((kind) => probe({ kind, address, port, from: a.namespace })))
    const byHand = await frame({ address, source: a.address })
    await expectControlArrives()
    for (const { isReached, said } of tried) expect(isReached, said).toBe(false)
    for (const { token } of [...tried, byHand]) expect(neighbor.hasNoticed(token)).toBe(false)
  })

  test('G2: does not reach a machine with a public address on the same link', async () => {
    await expectDenied(onLinkAddress)
    run(`${nft} flush set inet ${table} machine_links`)
    const unguarded = await probe({ kind: 'tcp', address: onLinkAddress, port, from: a.namespace })
    expect(await findUndenied(`ta${id}`)).toContain(onLinkAddress)
    // A route that changes is an update, which restores the set.
    run(`ip route add ${laterAddress}/32 dev tn77`)
    expect(unguarded).toMatchObject({ said: 'reached' })
    await expect.poll(links, { timeout: 10_000 }).toContain(laterAddress)
    await expectDenied(onLinkAddress)
    await expectDenied(laterAddress)
    expect(await findUndenied(`ta${id}`)).toEqual([])
  })

  test('G2: a route that leaves the link is no longer denied', async () => {
    run(`ip route replace ${laterAddress}/32 via ${neighborFirst} dev tn77`)
    await expect.poll(links, { timeout: 10_000 }).not.toContain(laterAddress)
    expect(await probe({ kind: 'tcp', address: laterAddress, port, from: a.namespace })).toMatchObject({
      said: 'reached',
    })
    run(`ip route delete ${laterAddress}/32`)
  })

  test('G2: an address added to the machine, and the prefix on its link, are denied until the link is removed', async () => {
    const added = '198.51.100.81'
    run('ip link add tn77b type veth peer name tn77c && ip link set tn77b up && ip link set tn77c up')
    stack.defer(() => void run('ip link delete tn77b 2> /dev/null || true'))
    run(`ip addr add ${added}/28 dev tn77b`)
    await expect
      .poll(() => run(`${nft} list set inet ${table} machine_addresses`), { timeout: 10_000 })
      .toContain(added)
    await expect.poll(links, { timeout: 10_000 }).toContain('198.51.100.80/28')
    expect(await probe({ kind: 'tcp', address: added, port })).toMatchObject({ said: 'reached' })
    expect(await probe({ kind: 'tcp', address: added, port, from: a.namespace })).toMatchObject({ isReached: false })
    run('ip link delete tn77b')
    await expect.poll(links, { timeout: 10_000 }).not.toContain('198.51.100.80/28')
    expect(run(`${nft} list set inet ${table} machine_addresses`)).not.toContain(added)
  })

  test('G2: a default gateway with a public address forwards packets but is not a destination', async () => {
    run(`ip route add default via ${onLinkAddress} dev tn77 table 7777`)
    stack.defer(() => void run('ip route flush table 7777'))
    run(`ip route replace ${onLinkAddress}/32 via ${neighborFirst} dev tn77`)
    await expect.poll(links, { timeout: 10_000 }).toContain(onLinkAddress)
    expect(await probe({ kind: 'tcp', address: onLinkAddress, port, from: a.namespace })).toMatchObject({
      isReached: false,
    })
    expect(await probe({ kind: 'tcp', address: publicAddress, port, from: a.namespace })).toMatchObject({
      said: 'reached',
    })
  })

  test('G2: does not reach Azure’s platform address, which is routed', async () => {
    // Only for packets of sandboxes: on Azure, the machine itself needs the address.
    run(`ip route add ${azureAddress}/32 via ${neighborFirst} dev tn77 table 7778`)
    run(`ip rule add from ${routerAddress()} to ${azureAddress} lookup 7778`)
    stack.defer(() => void run(`ip rule delete from ${routerAddress()} to ${azureAddress}; ip route flush table 7778`))
    const refused = await probe({ kind: 'tcp', address: azureAddress, port, from: a.namespace })
    run(`${nft} insert rule inet ${table} forbidden ip daddr ${azureAddress} return`)
    const unguarded = await probe({ kind: 'tcp', address: azureAddress, port, from: a.namespace })
    const [handle] = /(?<=return # handle )\d+/.exec(run(`${nft} -a list chain inet ${table} forbidden`)) ?? []
    run(`${nft} delete rule inet ${table} forbidden handle ${handle}`)
    expect(refused).toMatchObject({ isReached: false })
    expect(unguarded).toMatchObject({ said: 'reached' })
  })

  test('C9: does not reach another sandbox, which the gateway reaches, nor one of another installation', async () => {
    for (const { address, ...of } of [b, c]) {
      for (const kind of kinds) {
        expect(await probe({ kind, address, port, from: of.router }), `${kind} from the gateway`).toMatchObject({
          said: 'reached',
        })
        expect(await probe({ kind, address, port, from: a.namespace }), kind).toMatchObject({ isReached: false })
      }
    }
    const byHand = await frame({ address: b.address, source: a.address })
    await expectControlArrives()
    expect(sandboxB.hasNoticed(byHand.token)).toBe(false)
    expect(await probe({ kind: 'tcp', address: a.address, port, from: c.namespace })).toMatchObject({
      isReached: false,
    })
  })

  test('C9: only the gateway reaches a sandbox: no user of the machine does, no neighbor', async () => {
    const target = { kind: 'tcp', address: b.address, port } as const
    expect(await probe({ ...target, from: router })).toMatchObject({ said: 'reached' })
    expect(await probe({ ...target, from: router, asNobody: true })).toMatchObject({ isReached: false })
    for (const asNobody of [false, true])
      expect(await probe({ ...target, asNobody })).toMatchObject({ isReached: false })
    run(`ip route add ${b.address}/32 via ${routerAddress()}`)
    stack.defer(() => void run(`ip route delete ${b.address}/32 2> /dev/null || true`))
    expect(await probe(target), 'with a route by hand').toMatchObject({ isReached: false })
    run(`ip route delete ${b.address}/32`)
    const fromNeighbor = await probe({ kind: 'udp', address: b.address, port, from: `tbtest-${id}` })
    expect(fromNeighbor.isReached).toBe(false)
    expect(sandboxB.hasNoticed(fromNeighbor.token)).toBe(false)
  })

  test('G2: does not reach services of the machine or the router on any address, loopback included', async () => {
    const uplink = /src (\S+)/.exec(run('ip route get 1.1.1.1'))?.[1] ?? ''
    const [claimed, machineEnd] = [1, 2].map((last) => a.gateway.replace(/\d+$/, String(last)))
    const inRouter = await startOne({ namespace: router, ports: [port], noticesFrames: false })
    const targets = [
      ...[uplink, neighborGateway, claimed, machineEnd].map((address) => ({ address, host: machine })),
      ...[a.gateway, b.gateway, routerAddress()].map((address) => ({ address, host: inRouter, from: router })),
    ]
    for (const { address = '', host, ...of } of targets) {
      for (const kind of kinds) {
        expect(await probe({ kind, address, port, ...of }), `${kind} ${address}`).toMatchObject({ said: 'reached' })
        const tried = await probe({ kind, address, port, from: a.namespace })
        expect(tried.isReached, `${kind} ${address}`).toBe(false)
        expect(host.hasNoticed(tried.token)).toBe(false)
      }
    }
    expect(await probe({ kind: 'tcp', address: '127.0.0.1', port: loopbackPort })).toMatchObject({ said: 'reached' })
    const toLoopback = await frame({ address: '127.0.0.1', source: a.address })
    const fromLoopback = await frame({ address: a.gateway, source: '127.0.0.1' })
    await expectControlArrives()
    for (const { token } of [toLoopback, fromLoopback]) expect(machine.hasNoticed(token)).toBe(false)
  })

  test('G2: the machine reaches nothing in the router', async () => {
    await startOne({ namespace: router, ports: [port + 10], noticesFrames: false })
    const target = { kind: 'tcp', address: routerAddress(), port: port + 10 } as const
    expect(await probe({ ...target, from: router })).toMatchObject({ said: 'reached' })
    expect(await probe(target)).toMatchObject({ isReached: false })
  })

  test('G2: a packet with a foreign source address is dropped', async () => {
    const sources = [b.address, a.gateway, c.address, '192.0.2.9', '8.8.8.8', '0.0.0.0']
    const sent = await Promise.all(sources.map((source) => frame({ address: publicAddress, source })))
    await expectControlArrives()
    for (const { said, token } of sent) {
      expect(said).toBe('sent')
      expect(neighbor.hasNoticed(token)).toBe(false)
    }
  })

  test('G2: IPv6 that root turns on inside reaches neither the machine nor a neighbor', async () => {
    const target = { port, kind: 'tcp' as const }
    for (const address of [neighborAddress6, 'fd77:77::1']) {
      expect(await probe({ ...target, address }), address).toMatchObject({ said: 'reached' })
    }
    const linkLocal = linkLocalOf(a.mac)
    const inside = `ip -n ${a.namespace}`
    run(`ip netns exec ${a.namespace} sysctl -qw net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.eth0.disable_ipv6=0`)
    run(`${inside} -6 addr add fd78::2/64 dev eth0 nodad`)
    run(`${inside} -6 neigh replace ${linkLocal} lladdr ${a.mac} dev eth0`)
    run(`${inside} -6 route add default via ${linkLocal} dev eth0`)
    for (const address of [`${linkLocal}%eth0`, 'ff02::1%eth0', 'fd77:77::1', neighborAddress6]) {
      const tried = await Promise.all(kinds.map((kind) => probe({ kind, address, port, from: a.namespace })))
      for (const { isReached, said, token } of tried) {
        expect(isReached, `${address} ${said}`).toBe(false)
        expect(machine.hasNoticed(token) || neighbor.hasNoticed(token)).toBe(false)
      }
    }
  })

  test('G2: a name that resolves to a private address is blocked (DNS rebinding)', async () => {
    const ask = (name: string) => lookUp({ from: a.namespace, server: a.gateway, name })
    expect(await ask('public.test')).toBe(publicAddress)
    expect(await ask('metadata.test')).toBe('no address')
    expect(await ask('loopback.test')).toBe('no address')
  })

  test('mail ports are blocked, others on the same address are open', async () => {
    for (const mail of [25, 465, 587]) {
      const target = { kind: 'tcp', address: publicAddress, port: mail } as const
      expect(await probe(target)).toMatchObject({ said: 'reached' })
      expect(await probe({ ...target, from: a.namespace })).toMatchObject({ isReached: false })
    }
  })

  test('egress: none blocks everything immediately, and with a list only addresses that stand for names are open', async () => {
    await startOne({ namespace: router, ports: [relayPort], noticesFrames: false })
    const target: Probe = { kind: 'tcp', address: publicAddress, port, from: a.namespace }
    const virtual: Probe = { kind: 'tcp', address: standIn, port: relayPort, from: a.namespace }
    const ask = (name: string) => lookUp({ from: a.namespace, server: a.gateway, name })
    expect(await probe({ ...virtual, from: router })).toMatchObject({ said: 'reached' })
    expect(await probe(virtual), 'with an open policy').toMatchObject({ isReached: false })
    const held = await holdConnection({ from: a.namespace, address: publicAddress, port })
    stack.defer(() => held.close())
    expect(await held.speak()).toBe('reached')
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'none' } })
    expect(await probe(target)).toMatchObject({ isReached: false })
    expect(await probe(virtual)).toMatchObject({ isReached: false })
    expect(await held.speak(), 'on a connection from before').toMatch(/^(broken|no answer)/)
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'allowlist', names: ['public.test'] } })
    expect([await ask('public.test'), await ask('other.test')]).toEqual([standIn, 'no address'])
    expect(await probe(virtual)).toMatchObject({ said: 'reached' })
    for (const kind of kinds) expect(await probe({ ...target, kind }), kind).toMatchObject({ isReached: false })
    for (const kind of ['udp', 'icmp'] as const) {
      expect(await probe({ ...virtual, kind }), `${kind} to an address that stands for a name`).toMatchObject({
        isReached: false,
      })
    }
    expect(await probe({ ...virtual, from: b.namespace }), 'from another sandbox').toMatchObject({ isReached: false })
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'open' } })
    expect(await probe(target)).toMatchObject({ said: 'reached' })
    expect(await ask('public.test')).toBe(publicAddress)
  })

  test('egress: with an open policy, names with secrets are reached at the addresses that stand for them', async () => {
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'open', brokered: ['public.test'] } })
    expect(await lookUp({ from: a.namespace, server: a.gateway, name: 'public.test' })).toBe(standIn)
    const virtual: Probe = { kind: 'tcp', address: standIn, port: relayPort, from: a.namespace }
    expect(await probe(virtual)).toMatchObject({ said: 'reached' })
    expect(await probe({ ...virtual, address: publicAddress, port })).toMatchObject({ said: 'reached' })
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'open' } })
    expect(await probe(virtual)).toMatchObject({ isReached: false })
  })

  test('egress: a connection to an address that stands for a name ends within a second with the policy', async () => {
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'allowlist', names: ['public.test'] } })
    const held = await holdConnection({ from: a.namespace, address: standIn, port: relayPort })
    stack.defer(() => held.close())
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'allowlist', names: ['public.test', 'other.test'] } })
    expect(await held.speak(), 'after the list gained a name').toBe('reached')
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'open' } })
    expect(await held.speak(), 'after everything was allowed').toBe('reached')
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'none' } })
    expect(await held.speak()).toMatch(/^(broken|no answer)/)
    expect(network.namesRefused('a', 0)?.names.map(({ name }) => name)).toEqual(['other.test'])
    await network.setEgress({ sandboxId: 'a', egress: { kind: 'open' } })
  })

  test('egress: of the router’s processes only that of the relay reaches the internet, and what no sandbox reaches it does not', async () => {
    const target: Probe = { kind: 'tcp', address: publicAddress, port, from: router, asUser: egressUserId }
    expect(await probe(target)).toMatchObject({ said: 'reached' })
    expect(await probe({ ...target, kind: 'udp' })).toMatchObject({ isReached: false })
    expect(await probe({ ...target, asUser: egressUserId + 1 })).toMatchObject({ isReached: false })
    for (const address of [...privateAddresses, onLinkAddress, neighborGateway, b.address]) {
      expect(await probe({ ...target, address }), address).toMatchObject({ isReached: false })
    }
    for (const mail of [25, 465, 587]) {
      expect(await probe({ ...target, port: mail })).toMatchObject({ isReached: false })
    }
    const names: Probe = { kind: 'tcp', address: routerAddress(), port: 53, from: router }
    expect((await probe({ ...names, asUser: egressUserId })).said).not.toMatch(/refused/i)
    expect((await probe({ ...names, asUser: egressUserId + 1 })).said).toMatch(/refused|reset/i)
  })

  test('with the link down no packet comes in or goes out; with the link up, everything works as before', async () => {
    await network.setLink({ sandboxId: 'b', state: 'down' })
    const inward = await probe({ kind: 'udp', address: b.address, port, from: router })
    const outward = await probe({ kind: 'udp', address: publicAddress, port, from: b.namespace })
    expect([inward.isReached, outward.isReached]).toEqual([false, false])
    expect(sandboxB.hasNoticed(inward.token) || neighbor.hasNoticed(outward.token)).toBe(false)
    await network.setLink({ sandboxId: 'b', state: 'up' })
    expect(await probe({ kind: 'tcp', address: b.address, port, from: router })).toMatchObject({ said: 'reached' })
  })

  /** The router’s end of the link to the machine. */
  function routerAddress(): string {
    return a.gateway.replace(/\d+$/, '3')
  }
  function links(): string {
    return run(`${nft} list set inet ${table} machine_links`)
  }
  async function expectDenied(address: string) {
    for (const kind of kinds) {
      expect(await probe({ kind, address, port }), `${kind} from outside`).toMatchObject({ said: 'reached' })
      const tried = await probe({ kind, address, port, from: a.namespace })
      expect(tried.isReached, `${kind} ${tried.said}`).toBe(false)
      expect(neighbor.hasNoticed(tried.token)).toBe(false)
    }
  }
  async function attach(options: { to: SandboxNetwork; sandboxId: string; address: string }) {
    const { to, sandboxId, address } = options
    const attachment = await to.attach({ sandboxId, address, egress: { kind: 'open' } })
    const namespace = attachment.namespacePath.split('/').pop() ?? ''
    const own = `tbr-${namespace.split('-')[1]}`
    const device = /dev (\S+)/.exec(run(`ip -n ${own} route get ${address}`))?.[1] ?? ''
    const mac = /ether (\S+)/.exec(run(`ip -n ${own} link show dev ${device}`))?.[1] ?? ''
    return { namespace, address, gateway: attachment.gatewayAddress, mac, router: own }
  }
  async function startOne(options: Parameters<typeof startTestHost>[0]) {
    const host = await startTestHost(options)
    stack.defer(() => host.stop())
    return host
  }
  function frame(options: { address: string; source: string }) {
    return probe({ kind: 'frame', port, from: a.namespace, mac: a.mac, ...options })
  }
  /** Resolves when everything sent before this has arrived, if it ever arrives. */
  async function expectControlArrives() {
    const { token } = await frame({ address: publicAddress, source: a.address })
    await expect.poll(() => neighbor.hasNoticed(token)).toBe(true)
  }
})

/** The link-local address that Linux derives from a hardware address (RFC 4291, modified EUI-64). */
function linkLocalOf(mac: string): string {
  const [first = 0, ...rest] = mac.split(':').map((part) => Number.parseInt(part, 16))
  const bytes = [first ^ 2, ...rest.slice(0, 2), 0xff, 0xfe, ...rest.slice(2)]
  const groups = [0, 2, 4, 6].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16))
  return `fe80::${groups.join(':')}`
}

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { makeLogger } from '@threadbox/telemetry'
import { repeats } from '@threadbox/testkit/repeats'
import { afterEach, describe, expect, test } from 'vitest'
import { makeSandboxNetwork, prepareFreePool } from './linux-sandbox-network.ts'
import { makeNetworkNames } from './names.logic.ts'
import type { SandboxNetwork } from './sandbox-network.ts'

const logger = makeLogger({ process: 'test', level: 'silent' })
const installation = 'tnet00'
const names = makeNetworkNames(installation)
const open = { kind: 'open' } as const
const inRouter = `ip netns exec ${names.routerNamespace}`

describe('the network of sandboxes', () => {
  const networks: SandboxNetwork[] = []
  afterEach(async () => {
    for (const network of networks.splice(0).reverse()) await network.close()
    expect(everythingOf(installation)).toEqual('')
  })

  test('attaching gives a namespace with address, route and uplink MTU, and no IPv6', async () => {
    const { network, pool } = await start()
    const [address = ''] = network.addresses()
    const attachment = await network.attach({ sandboxId: 'one', address, egress: open })
    await access(attachment.namespacePath)
    const uplinkMtu = Number(/ mtu (\d+)/.exec(run(`ip link show dev ${uplink()}`))?.[1])
    expect(attachment).toMatchObject({ sandboxId: 'one', address, mtu: Math.min(1500, uplinkMtu) })
    const inside = run(`ip -n ${names.namespaceOf('one')} addr`) + run(`ip -n ${names.namespaceOf('one')} route`)
    expect(inside).toContain(`inet ${address}/30`)
    expect(inside).toContain(`mtu ${attachment.mtu}`)
    expect(inside).toContain(`default via ${attachment.gatewayAddress}`)
    expect(inside).not.toContain('inet6')
    expect(run(`${inRouter} ip -6 addr show dev ${names.interfaceOf('one')}`)).toBe('')
    expect(run(`${inRouter} ip route get ${address}`)).toContain(names.interfaceOf('one'))
    expect(() => run(`ip route get ${address}`)).toThrow(/unreachable|No route to host/)
    expect(run('ip route')).toContain(`unreachable ${pool}`)
  })

  test('attaching again returns the same; another address, or an address in use, is rejected', async () => {
    const { network } = await start()
    const [first = '', second = ''] = network.addresses()
    const attachment = await network.attach({ sandboxId: 'one', address: first, egress: open })
    expect(await network.attach({ sandboxId: 'one', address: first, egress: { kind: 'none' } })).toEqual(attachment)
    expect(run(`${inRouter} nft list map inet ${names.table} egress`)).toContain(
      `"${names.interfaceOf('one')}" : jump egress_none`,
    )
    const elsewhere = network.attach({ sandboxId: 'one', address: second, egress: open })
    await expect(elsewhere).rejects.toMatchObject({ code: 'network.attached-elsewhere' })
    const stolen = network.attach({ sandboxId: 'two', address: first, egress: open })
    await expect(stolen).rejects.toMatchObject({ code: 'network.address-in-use' })
    const outside = network.attach({ sandboxId: 'two', address: '10.0.0.2', egress: open })
    await expect(outside).rejects.toMatchObject({ code: 'network.address-invalid' })
    for (const sandboxId of ['', '../x', 'A', '-x', 'x;y', 'x'.repeat(65)]) {
      const bad = network.attach({ sandboxId, address: second, egress: open })
      await expect(bad).rejects.toMatchObject({ code: 'network.id-invalid' })
    }
    expect(await network.list()).toEqual(['one'])
  })

  test('C10: detaching leaves no namespace, interface, firewall entry or route, and repeating it does nothing', async () => {
    const { network, pool } = await start()
    const before = everythingOf(installation)
    const [address = ''] = network.addresses()
    await network.attach({ sandboxId: 'one', address, egress: open })
    expect(everythingOf(installation)).not.toEqual(before)
    await network.detach('one')
    await network.detach('one')
    expect(everythingOf(installation)).toEqual(before)
    expect(await network.list()).toEqual([])
    await expect(network.restoreAddress('one')).rejects.toMatchObject({ code: 'network.not-attached' })
    await expect(network.setLink({ sandboxId: 'one', state: 'up' })).rejects.toMatchObject({
      code: 'network.not-attached',
    })
    // No packet for a detached sandbox leaves by the default route.
    expect(() => run(`ip route get ${address}`)).toThrow(/unreachable|No route to host/)
    expect(run('ip route')).toContain(`unreachable ${pool}`)
  })

  test('after a crash the network is found again: kept sandboxes stay connected, the rest is removed', async () => {
    const { network, pool } = await start()
    const [first = '', second = '', third = ''] = network.addresses()
    await network.attach({ sandboxId: 'kept', address: first, egress: { kind: 'none' } })
    await network.attach({ sandboxId: 'gone', address: second, egress: open })
    await network.attach({ sandboxId: 'half', address: third, egress: open })
    run(`${inRouter} ip link set ${names.interfaceOf('half')} alias ''`)
    run(`ip netns add ${names.namespacePrefix}stray`)

    await network.stop()
    const { network: next } = await start({ pool })
    await next.prepare({ keep: new Set(['kept', 'half']) })
    expect(await next.list()).toEqual(['kept'])
    const everything = everythingOf(installation)
    expect(everything).toContain(`"${names.interfaceOf('kept')}" : jump egress_none`)
    for (const name of ['gone', 'half']) {
      expect(everything).not.toContain(names.interfaceOf(name))
      expect(everything).not.toContain(names.namespaceOf(name))
    }
    expect(everything).not.toContain('stray')
    const again = await next.attach({ sandboxId: 'kept', address: first, egress: { kind: 'none' } })
    expect(again.address).toBe(first)
    expect((await next.attach({ sandboxId: 'half', address: third, egress: open })).address).toBe(third)
  })

  test('sandboxes that an earlier release had in the machine’s namespace move to the router, up or down as they were', async () => {
    const { network, pool } = await start()
    const [awake = '', paused = '', gone = ''] = network.addresses()
    await network.close()
    const table = (elements: string) => run(`nft ${elements.replaceAll('TABLE', names.table)}`)
    run(`nft add table inet ${names.table}`)
    for (const set of ['sources', 'gateways']) table(`'add set inet TABLE ${set} { type ifname . ipv4_addr; }'`)
    table(`'add set inet TABLE current { type ifname . mark; }'`)
    table(`'add map inet TABLE epochs { type ifname : mark; }'`)
    for (const kind of ['open', 'allowlist', 'none']) table(`add chain inet TABLE egress_${kind}`)
    table(`'add map inet TABLE egress { type ifname : verdict; }'`)
    for (const [id, address] of Object.entries({ awake, paused, gone })) {
      const [name, gateway] = [names.interfaceOf(id), address.replace(/\d+$/, (last) => String(Number(last) - 1))]
      run(`ip netns add ${names.namespaceOf(id)}`)
      run(`ip link add ${name} type veth peer name eth0 netns ${names.namespaceOf(id)}`)
      run(`ip addr add ${gateway}/30 dev ${name} && ip link set ${name} alias ${id}`)
      run(`ip -n ${names.namespaceOf(id)} link set eth0 up`)
      if (id !== 'paused') run(`ip link set ${name} up`)
      table(`'add element inet TABLE sources { "${name}" . ${address} }'`)
      table(`'add element inet TABLE gateways { "${name}" . ${gateway} }'`)
      table(`'add element inet TABLE epochs { "${name}" : 7 }'`)
      table(`'add element inet TABLE current { "${name}" . 7 }'`)
      table(`'add element inet TABLE egress { "${name}" : jump egress_${id === 'paused' ? 'none' : 'open'} }'`)
    }
    const { network: next } = await start({ pool })
    await next.prepare({ keep: new Set(['awake', 'paused']) })
    expect(await next.list()).toEqual(['awake', 'paused'])
    const shown = (id: string) => run(`${inRouter} ip -brief addr show dev ${names.interfaceOf(id)}`)
    expect(shown('awake')).toMatch(new RegExp(`UP\\s+${awake.replace(/\d+$/, '')}`))
    expect(shown('paused')).toMatch(new RegExp(`DOWN\\s+${paused.replace(/\d+$/, '')}`))
    expect(run('ip -brief link').replace(names.uplinkInterface, '')).not.toContain(names.interfacePrefix)
    const egress = run(`${inRouter} nft list map inet ${names.table} egress`)
    expect(egress).toContain(`"${names.interfaceOf('awake')}" : jump egress_open`)
    expect(egress).toContain(`"${names.interfaceOf('paused')}" : jump egress_none`)
    expect(egress).not.toContain(names.interfaceOf('gone'))
    expect(run(`nft list table inet ${names.table}`)).not.toContain('sources')
  })

  test('what an earlier release let a sandbox with a list reach ends, and it reaches names through the relay', async () => {
    const { network, pool } = await start()
    const [listed = '', other = ''] = network.addresses()
    await network.attach({ sandboxId: 'listed', address: listed, egress: { kind: 'allowlist', names: ['a.org'] } })
    await network.attach({ sandboxId: 'open', address: other, egress: open })
    await network.stop()
    const table = (elements: string) => run(`${inRouter} nft ${elements.replaceAll('TABLE', names.table)}`)
    table(`'add set inet TABLE allowed { type ifname . ipv4_addr; flags timeout; size 262144; }'`)
    table(`'add element inet TABLE allowed { "${names.interfaceOf('listed')}" . 203.0.113.207 timeout 300s }'`)
    table(`'delete element inet TABLE relayed { "${names.interfaceOf('listed')}" }'`)
    const marks = () => run(`${inRouter} nft list map inet ${names.table} epochs`)
    const markOf = (id: string) => new RegExp(`"${names.interfaceOf(id)}" : (\\w+)`).exec(marks())?.[1]
    const before = [markOf('listed'), markOf('open')]
    const { network: next } = await start({ pool })
    await next.prepare({ keep: new Set(['listed', 'open']) })
    expect(run(`${inRouter} nft list table inet ${names.table}`)).not.toMatch(/set allowed|203\.0\.113\.207/)
    expect(run(`${inRouter} nft list set inet ${names.table} relayed`)).toContain(names.interfaceOf('listed'))
    expect(markOf('open')).toBe(before[1])
    expect(markOf('listed')).not.toBe(before[0])
    expect(run(`${inRouter} nft list set inet ${names.table} current`)).not.toContain(before[0])
  })

  test('addresses that were removed from the namespace are restored', async () => {
    const { network } = await start()
    const [address = ''] = network.addresses()
    const { gatewayAddress } = await network.attach({ sandboxId: 'one', address, egress: open })
    const namespace = names.namespaceOf('one')
    run(`ip -n ${namespace} addr flush dev eth0`)
    await network.setLink({ sandboxId: 'one', state: 'down' })
    await network.restoreAddress('one')
    expect(run(`ip -n ${namespace} addr show dev eth0`)).toContain(`inet ${address}/30`)
    expect(run(`ip -n ${namespace} route`)).toContain(`default via ${gatewayAddress}`)
    await network.setLink({ sandboxId: 'one', state: 'up' })
    expect(run(`${inRouter} ip route get ${address}`)).toContain(names.interfaceOf('one'))
  })

  test('raising a link returns when it is up', async () => {
    const { network } = await start()
    const [address = ''] = network.addresses()
    await network.attach({ sandboxId: 'one', address, egress: open })
    for (let round = 0; round < 20; round++) {
      await network.setLink({ sandboxId: 'one', state: 'down' })
      await network.setLink({ sandboxId: 'one', state: 'up' })
      expect(run(`${inRouter} ip -brief link show dev ${names.interfaceOf('one')}`)).toMatch(/^\S+\s+UP\s/)
    }
  })

  test('a link settles after a time without packets, and settling has a time limit', async () => {
    const { network } = await start()
    const [address = ''] = network.addresses()
    await expect(network.settle('one')).rejects.toMatchObject({ code: 'network.not-attached' })
    await network.attach({ sandboxId: 'one', address, egress: open })
    const settled = async () => {
      const startedAt = performance.now()
      await network.settle('one')
      return performance.now() - startedAt
    }
    expect(await settled()).toBeGreaterThanOrEqual(250)
    const sendMore = `while :; do echo more > /dev/udp/${address}/9; sleep 0.02; done`
    const sending = spawn('ip', ['netns', 'exec', names.routerNamespace, 'bash', '-c', sendMore])
    try {
      // Resolves although packets keep coming. On a busy machine, they can stop for long enough to settle earlier.
      await expect.poll(settled, { timeout: 60_000 }).toBeGreaterThanOrEqual(500)
    } finally {
      sending.kill('SIGKILL')
    }
  })

  test('G2: a removed firewall is restored before any other change', async () => {
    const { network } = await start()
    const [first = '', second = ''] = network.addresses()
    await network.attach({
      sandboxId: 'one',
      address: first,
      egress: { kind: 'allowlist', names: ['index.example.net'] },
    })
    const before = everythingOf(installation)
    run(`nft delete table inet ${names.table}`)
    await expect.poll(() => everythingOf(installation)).toEqual(before)
    run(`nft delete table inet ${names.table}`)
    await network.attach({ sandboxId: 'two', address: second, egress: open })
    await network.detach('two')
    expect(everythingOf(installation)).toEqual(before)
  })

  test('G2: the firewall is restored even if its watch is killed before it is removed', async () => {
    await start()
    const before = everythingOf(installation)
    const watching = () => run(`pgrep --parent ${process.pid} --full '^nft monitor' || true`).trim()
    await expect.poll(watching).toMatch(/^\d+$/)
    const first = watching()
    process.kill(Number(first), 'SIGKILL')
    run(`nft delete table inet ${names.table}`)
    await expect.poll(() => everythingOf(installation)).toEqual(before)
    await expect.poll(watching, { timeout: 5000 }).toMatch(/^\d+$/)
    expect(watching()).not.toBe(first)
    run(`nft delete table inet ${names.table}`)
    await expect.poll(() => everythingOf(installation)).toEqual(before)
  })

  const many = repeats({ what: 'sandboxes that attach and detach at the same time', byDefault: 8, full: 25 })
  test(`${many} sandboxes attach and detach at the same time`, async () => {
    const { network } = await start()
    const addresses = [...network.addresses()].slice(0, many)
    const attached = addresses.map((address, index) =>
      network.attach({ sandboxId: `many-${index}`, address, egress: open }),
    )
    await Promise.all(attached)
    expect(await network.list()).toHaveLength(many)
    await Promise.all(addresses.map((_, index) => network.detach(`many-${index}`)))
    expect(await network.list()).toEqual([])
  })

  test('two installations choose different ranges, and one rejects the other’s', async () => {
    const { pool } = await start()
    const other = makeSandboxNetwork({ installation: 'tnet01', pool, logger })
    await expect(other.prepare({ keep: new Set() })).rejects.toMatchObject({ code: 'network.pool-invalid' })
    await other.close()
    expect(everythingOf(installation)).toContain(pool)
  })

  test('installations that start at the same moment get ranges of their own', async () => {
    const ids = ['tnet02', 'tnet03', 'tnet04', 'tnet05']
    const prepared = await Promise.all(ids.map((id) => prepareFreePool({ installation: id, logger })))
    expect(new Set(prepared.map(({ pool }) => pool)).size).toBe(ids.length)
    for (const { network } of prepared) await network.close()
    expect(ids.map(everythingOf)).toEqual(ids.map(() => ''))
  })

  test('a range with another route on the host is rejected', async () => {
    const network = makeSandboxNetwork({ installation, pool: `${uplinkRange()}`, logger })
    await expect(network.prepare({ keep: new Set() })).rejects.toMatchObject({ code: 'network.pool-invalid' })
  })

  async function start(options: { pool?: string } = {}) {
    const known = options.pool
    const made =
      known === undefined
        ? await prepareFreePool({ installation, logger })
        : { network: makeSandboxNetwork({ installation, pool: known, logger }), pool: known }
    networks.push(made.network)
    return made
  }
})

/** Every trace of an installation on the host; dynamic meters are not compared. */
function everythingOf(id: string): string {
  const { table, interfacePrefix, namespacePrefix, routerNamespace } = makeNetworkNames(id)
  const hasRouter = existsSync(`/run/netns/${routerNamespace}`)
  const router = (command: string) => (hasRouter ? run(`ip netns exec ${routerNamespace} ${command}`) : '')
  const ofMachine = run(`nft list table inet ${table} 2> /dev/null || true`)
  const sets = ['sources', 'gateways', 'epochs', 'current', 'egress', 'relayed'].map((name) =>
    router(`nft list ${['epochs', 'egress'].includes(name) ? 'map' : 'set'} inet ${table} ${name}`),
  )
  const firewall = [ofMachine, ...sets].join('\n')
  const links = `${run('ip -brief addr')}\n${router('ip -brief addr')}`
    .split('\n')
    .filter((line) => line.includes(interfacePrefix))
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(routerNamespace))
  const namespaces = run('ip netns list')
    .split('\n')
    .filter((line) => line.includes(namespacePrefix) || line.includes(routerNamespace))
  const label = run('ip -oneline addr show dev lo')
    .split('\n')
    .find((line) => line.includes(`lo:${interfacePrefix}`))
  const address = /inet ([\d.]+)/.exec(label ?? '')?.[1]
  const routes =
    address === undefined
      ? []
      : run('ip route')
          .split('\n')
          .filter((line) => isRouteOf(line, address))
  return [firewall, ...links, ...mounts, ...namespaces.map((line) => line.split(' ')[0]), ...routes].join('\n').trim()
}

/** Other installations on the host have routes of this kind, too. */
function isRouteOf(line: string, address: string): boolean {
  const [, network = '', prefix = '32'] = /^unreachable ([\d.]+)(?:\/(\d+))?/.exec(line) ?? []
  if (network === '') return false
  const range = new BlockList()
  range.addSubnet(network, Number(prefix))
  return range.check(address)
}

function uplink(): string {
  return /dev (\S+)/.exec(run('ip route show default'))?.[1] ?? ''
}

function uplinkRange(): string {
  const [range = ''] = run(`ip route show dev ${uplink()} scope link`).split(/\s+/)
  return range
}

function run(command: string): string {
  return execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' })
}

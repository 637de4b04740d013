import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeSandboxNetwork, prepareFreePool } from './linux-sandbox-network.ts'
import { makeNetworkNames } from './names.logic.ts'
import type { SandboxNetwork } from './sandbox-network.ts'

const logger = makeLogger({ process: 'test', level: 'silent' })
const installation = 'tnet10'
const names = makeNetworkNames(installation)
const open = { kind: 'open' } as const
const together = 12

describe('the links of sandboxes', () => {
  const networks: SandboxNetwork[] = []
  afterEach(async () => {
    for (const network of networks.splice(0).reverse()) await network.close()
  })

  test('twelve sandboxes attached at the same time reach the router, and few programs make their links', async () => {
    const { network } = await start()
    const orders = ordersFor(network)
    const programs = await programsDuring(() => Promise.all(orders.map((order) => network.attach(order))))
    // The present links, namespaces, links, addresses inside.
    expect(programs).toHaveLength(4)
    expect(await network.list()).toEqual(orders.map(({ sandboxId }) => sandboxId).sort())
    for (const { sandboxId, address } of orders) {
      const namespace = names.namespaceOf(sandboxId)
      expect(run(`ip -n ${namespace} -6 addr`)).toBe('')
      await expectConnected({ sandboxId, address })
    }
    const detaching = await programsDuring(() => Promise.all(orders.map(({ sandboxId }) => network.detach(sandboxId))))
    expect(detaching).toHaveLength(2)
    expect(await network.list()).toEqual([])
    expect(run('ip netns list')).not.toContain(names.namespacePrefix)
  })

  test('one that cannot be attached fails alone, and leaves nothing', async () => {
    const { network } = await start()
    const orders = ordersFor(network)
    const [bad, taken] = orders
    const stolen = { sandboxId: 'thief', address: taken.address, egress: open }
    // `ip` cannot remove a directory where the namespace would be.
    run(`mkdir /run/netns/${names.namespaceOf(bad.sandboxId)}`)
    try {
      const outcomes = await Promise.allSettled([...orders, stolen].map((order) => network.attach(order)))
      expect(outcomes.map(({ status }) => status)).toEqual([
        'rejected',
        ...orders.slice(1).map(() => 'fulfilled'),
        'rejected',
      ])
      expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'network.address-in-use' } })
      expect(outcomes[0]).toMatchObject({ reason: { code: 'network.command-failed' } })
    } finally {
      run(`rmdir /run/netns/${names.namespaceOf(bad.sandboxId)}`)
    }
    expect(await network.list()).toEqual(
      orders
        .slice(1)
        .map(({ sandboxId }) => sandboxId)
        .sort(),
    )
    expect(run(`ip netns exec ${names.routerNamespace} nft list table inet ${names.table}`)).not.toContain(
      names.interfaceOf(bad.sandboxId),
    )
    expect((await network.attach(bad)).address).toBe(bad.address)
  })

  test('attaching a known sandbox starts no program, and restoring its address starts one', async () => {
    const { network } = await start()
    const [order] = ordersFor(network)
    const attachment = await network.attach(order)
    const again = () => network.attach(order)
    expect(await programsDuring(again)).toEqual([])
    expect(await again()).toEqual(attachment)
    expect(await programsDuring(() => network.restoreAddress(order.sandboxId))).toHaveLength(1)
    const none = { ...order, egress: { kind: 'none' as const } }
    expect(await programsDuring(() => network.attach(none))).toEqual([])
  })

  test('a link or a namespace that another program removed is made again', async () => {
    const { network } = await start()
    const [first, second] = ordersFor(network)
    for (const order of [first, second]) await network.attach(order)
    run(`ip -n ${names.routerNamespace} link delete ${names.interfaceOf(first.sandboxId)}`)
    run(`ip netns delete ${names.namespaceOf(second.sandboxId)}`)
    await expect(network.restoreAddress(first.sandboxId)).rejects.toMatchObject({ code: 'network.not-attached' })
    for (const { sandboxId, address } of await Promise.all([first, second].map((order) => network.attach(order)))) {
      await expectConnected({ sandboxId, address })
    }
  })

  test('a lost reply to the router’s first packet is asked for again within milliseconds, not after a second', async () => {
    const { network, pool } = await start()
    const [order] = ordersFor(network)
    await network.attach(order)
    const { sandboxId, address } = order
    const router = (command: string) => run(`ip netns exec ${names.routerNamespace} ${command}`)
    const neighbor = () => router(`ip neigh show ${address}`)
    /** As in a wake whose other end is connected late: the first question gets no reply. */
    const msUntilKnown = async () => {
      run(`ip -n ${names.namespaceOf(sandboxId)} addr flush dev eth0`)
      router(`ip neigh flush dev ${names.interfaceOf(sandboxId)}`)
      router(`bash -c 'echo hello > /dev/udp/${address}/9'`)
      expect(neighbor()).toMatch(/INCOMPLETE/)
      const startedAt = performance.now()
      await network.restoreAddress(sandboxId)
      await expect.poll(neighbor, { timeout: 10_000, interval: 10 }).toMatch(/lladdr/)
      return performance.now() - startedAt
    }
    const best = async () => Math.min(await msUntilKnown(), await msUntilKnown(), await msUntilKnown())
    expect(await best()).toBeLessThan(600)
    await network.stop()
    router(`ip ntable change name arp_cache dev ${names.interfaceOf(sandboxId)} retrans 1000`)
    const next = makeSandboxNetwork({ installation, pool, logger })
    networks.push(next)
    await next.prepare({ keep: new Set([sandboxId]) })
    expect(await best()).toBeLessThan(600)
  })

  test('after a restart of the daemon, the links that it finds are known', async () => {
    const { network, pool } = await start()
    const [kept, other, half] = ordersFor(network)
    const attachment = await network.attach(kept)
    await network.attach(half)
    run(`ip -n ${names.routerNamespace} link set ${names.interfaceOf(half.sandboxId)} alias ''`)
    await network.stop()
    const next = makeSandboxNetwork({ installation, pool, logger })
    networks.push(next)
    await next.prepare({ keep: new Set([kept.sandboxId, half.sandboxId]) })
    expect(await next.attach(kept)).toEqual(attachment)
    expect(await programsDuring(() => next.attach(kept))).toEqual([])
    expect(await next.attach({ ...other, address: half.address })).toMatchObject({ address: half.address })
    const stolen = next.attach({ ...half, address: kept.address })
    await expect(stolen).rejects.toMatchObject({ code: 'network.address-in-use' })
    const elsewhere = next.attach({ ...kept, address: half.address })
    await expect(elsewhere).rejects.toMatchObject({ code: 'network.attached-elsewhere' })
  })

  async function start() {
    const made = await prepareFreePool({ installation, logger })
    networks.push(made.network)
    return made
  }
})

type Order = Parameters<SandboxNetwork['attach']>[0]

function ordersFor(network: SandboxNetwork): [Order, Order, Order, ...Order[]] {
  const orders = [...network.addresses()]
    .slice(0, together)
    .map((address, index) => ({ sandboxId: `one-${index}`, address, egress: open }))
  const [first, second, third, ...rest] = orders
  if (first === undefined || second === undefined || third === undefined) throw new Error('the range is too small')
  return [first, second, third, ...rest]
}

/** The calls of `ip` about links during the work, without those of the watch of the machine’s network. */
async function programsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const started: string[] = []
  // The process has its arguments after the event.
  const note = (message: unknown) =>
    process.nextTick(() => started.push(commandSchema.parse(message).process.join(' ')))
  subscribe('child_process', note)
  try {
    await work()
  } finally {
    unsubscribe('child_process', note)
  }
  return started.filter((command) => /^ip .*(-batch|tbr-)/.test(command))
}

const commandSchema = z.object({
  process: z.object({ spawnargs: z.array(z.string()) }).transform(({ spawnargs }) => spawnargs),
})

/** What a sandbox sends reaches the router, which replies with its hardware address. */
async function expectConnected({ sandboxId, address }: Pick<Order, 'sandboxId' | 'address'>): Promise<void> {
  const namespace = names.namespaceOf(sandboxId)
  const gateway = gatewayOf(address)
  run(`ip netns exec ${namespace} bash -c 'echo hello > /dev/udp/${gateway}/9'`)
  const neighbor = () => run(`ip -n ${namespace} neigh show ${gateway}`)
  await expect.poll(neighbor, { timeout: 10_000 }).toMatch(/lladdr/)
}

function gatewayOf(address: string): string {
  return address.replace(/\d+$/, (last) => String(Number(last) - 1))
}

function run(command: string): string {
  return execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' })
}

import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '@threadbox/telemetry'
import { z } from 'zod'
import type { AddressPool } from './address-pool.logic.ts'
import {
  type FirewallEntry,
  type FirewallSettings,
  renderAllowed,
  renderEntry,
  renderMachineNetwork,
  renderRemoval,
  renderTable,
} from './firewall.logic.ts'
import { watchTable } from './firewall-watch.ts'
import type { MachineNetwork } from './machine-network.logic.ts'
import { readMachineNetwork } from './machine-network.ts'
import { watchMachineNetwork } from './machine-network-watch.ts'
import type { NetworkNames } from './names.logic.ts'
import { runCommand } from './run-command.ts'
import type { EgressPolicy } from './sandbox-network.ts'

/**
 * The nftables table of one installation. Its data is read from the kernel, so it survives its process. If another
 * program removes it (`nft flush ruleset`, a restarted firewall service), it is restored immediately, because without
 * the table sandboxes would reach the host and its neighbors.
 */
export type Firewall = {
  install(options: { forwarderPort: number }): Promise<void>
  add(entry: Omit<FirewallEntry, 'epoch'>): Promise<void>
  /** Connections opened under another kind of policy end. */
  setEgress(options: { interfaceName: string; egress: EgressPolicy['kind'] }): Promise<void>
  allow(options: { interfaceName: string; addresses: readonly string[]; seconds: number }): Promise<void>
  /** Revokes everything that {@link Firewall.allow} allowed. */
  disallow(interfaceName: string): Promise<void>
  remove(interfaceName: string): Promise<void>
  /** The interfaces that have an entry. */
  known(): string[]
  /** Stops watching the table, so that it can be removed. */
  forget(): Promise<void>
}

export function makeFirewall(options: {
  names: NetworkNames
  pool: AddressPool
  settings: FirewallSettings
  logger: Logger
  randomMark: () => number
}): Firewall {
  const { names, pool, settings, logger, randomMark } = options
  const { table } = names
  /**
   * The content of the table, updated after the orders were carried out. A missing table is restored to its state
   * before them; otherwise the orders would find their changes already made.
   */
  const entries = new Map<string, FirewallEntry>()
  let installed: { forwarderPort: number; stopWatching: () => void } | undefined
  let machine: MachineNetwork = { addresses: [], links: [] }

  const tableWith = ({ forwarderPort }: { forwarderPort: number }) => [
    renderTable({ names, pool, settings, forwarderPort }),
    ...renderMachineNetwork({ table, network: machine }),
  ]
  const restore = async () => {
    if (await hasTable(table)) return
    if (installed === undefined) return
    const elements = [...entries.values()].flatMap((entry) => renderEntry({ order: 'add', table, entry }))
    await runNft([...tableWith(installed), ...elements])
    logger.warn({ table }, 'another program removed the firewall of the sandboxes; it was restored')
  }
  const run = (lines: string[]) =>
    runNft(lines).catch(async (error) => {
      if (await hasTable(table)) throw error
      await restore()
      await runNft(lines)
    })
  // Restoring is queued with the orders: in parallel, it would restore what an order has just removed.
  const { apply, check } = makeBatch({ run, check: restore })

  const updateMachine = async () => {
    const network = await readMachineNetwork()
    if (installed === undefined || isDeepStrictEqual(network, machine)) return
    await apply(renderMachineNetwork({ table, network }))
    machine = network
    logger.info(network, 'the machine’s network has changed; it is denied to sandboxes')
  }
  const watch = () => {
    const onMissing = () => void check().catch((error) => logger.error({ err: error }, 'the firewall is missing'))
    const stops = [
      watchTable({ table, logger, onMissing }),
      watchMachineNetwork({ ownPrefix: names.interfacePrefix, logger, update: updateMachine }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  return {
    async install({ forwarderPort }) {
      installed?.stopWatching()
      machine = await readMachineNetwork()
      await runNft(tableWith({ forwarderPort }))
      installed = { forwarderPort, stopWatching: watch() }
      entries.clear()
      for (const entry of await readEntries({ table, pool })) entries.set(entry.interfaceName, entry)
    },
    async add(wanted) {
      const present = entries.get(wanted.interfaceName)
      const isSame = present?.egress === wanted.egress
      const entry = { ...wanted, epoch: isSame ? present.epoch : randomMark() }
      const old = present === undefined ? [] : renderRemoval({ table, entry: present })
      await apply([...old, ...renderEntry({ order: 'add', table, entry })])
      entries.set(entry.interfaceName, entry)
    },
    async setEgress({ interfaceName, egress }) {
      const present = entries.get(interfaceName)
      if (present === undefined || present.egress === egress) return
      const entry = { ...present, egress, epoch: randomMark() }
      await apply([...renderRemoval({ table, entry: present }), ...renderEntry({ order: 'add', table, entry })])
      entries.set(interfaceName, entry)
    },
    async allow({ interfaceName, addresses, seconds }) {
      if (addresses.length > 0) await apply(renderAllowed({ table, interfaceName, addresses, seconds }))
    },
    async disallow(interfaceName) {
      const elements = await listConcatenated({ table, set: 'allowed' })
      const mine = elements.filter((element) => element[0] === interfaceName)
      await apply(mine.map((element) => `delete element inet ${table} allowed { "${element[0]}" . ${element[1]} }`))
    },
    async remove(interfaceName) {
      const present = entries.get(interfaceName)
      if (present === undefined) return
      entries.delete(interfaceName)
      await apply(renderRemoval({ table, entry: present }))
    },
    known: () => [...entries.keys()],
    async forget() {
      installed?.stopWatching()
      installed = undefined
      entries.clear()
      // Waits until a restore in progress is finished.
      await check()
    },
  }
}

/** Adding it first makes deleting a missing table succeed. */
export async function removeTable(table: string): Promise<void> {
  await runNft([`add table inet ${table}`, `delete table inet ${table}`])
}

function runNft(lines: readonly string[]): Promise<unknown> {
  return runCommand(['nft', '-f', '-'], { input: `${lines.join('\n')}\n` })
}

async function hasTable(table: string): Promise<boolean> {
  return (await runCommand(['nft', 'list', 'tables', 'inet'])).split('\n').includes(`table inet ${table}`)
}

/**
 * Combines orders that arrive while `nft` runs into one transaction: a call costs milliseconds regardless of its size.
 * If a transaction is rejected, its orders are tried one by one, so that one bad order does not fail the others. Checks
 * are queued with the orders.
 */
function makeBatch(options: { run: (lines: string[]) => Promise<unknown>; check: () => Promise<void> }): {
  apply: (lines: string[]) => Promise<void>
  /** Orders need no extra check: they fail without the table. */
  check: () => Promise<void>
} {
  type Waiting = { lines: string[]; resolve: () => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let isRunning = false

  const carryOut = (lines: string[]) => (lines.length === 0 ? options.check() : options.run(lines))
  const drain = async () => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const isDone = await carryOut(batch.flatMap((each) => each.lines)).then(
        () => true,
        () => false,
      )
      for (const { lines, resolve, reject } of batch) {
        if (isDone) resolve()
        else await carryOut(lines).then(() => resolve(), reject)
      }
    }
    isRunning = false
  }
  const enqueue = (lines: string[]) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ lines, resolve, reject })
      if (!isRunning) void drain()
    })
  return {
    apply: (lines) => (lines.length === 0 ? Promise.resolve() : enqueue(lines)),
    check: () => enqueue([]),
  }
}

const concatenatedSchema = z.object({ concat: z.tuple([z.string(), z.union([z.string(), z.number()])]) })
const elementSchema = z.union([
  z.object({ elem: z.object({ val: concatenatedSchema }) }).transform(({ elem }) => elem.val.concat),
  concatenatedSchema.transform(({ concat }) => concat),
])
const setSchema = z.object({ set: z.object({ elem: z.array(elementSchema).default([]) }) })
const epochsSchema = z.object({ map: z.object({ elem: z.array(z.tuple([z.string(), z.number()])).default([]) }) })
const ruleSchema = z.tuple([z.string(), z.object({ jump: z.object({ target: z.string() }) })])
const egressSchema = z.object({ map: z.object({ elem: z.array(ruleSchema).default([]) }) })
const listingSchema = z.object({ nftables: z.array(z.unknown()) })

async function list(options: { kind: 'set' | 'map'; table: string; name: string }): Promise<unknown> {
  const output = await runCommand(['nft', '-j', 'list', options.kind, 'inet', options.table, options.name])
  return listingSchema.parse(JSON.parse(output)).nftables[1]
}

async function listConcatenated(options: { table: string; set: string }) {
  return setSchema.parse(await list({ kind: 'set', table: options.table, name: options.set })).set.elem
}

async function readEntries(options: { table: string; pool: AddressPool }): Promise<FirewallEntry[]> {
  const { table, pool } = options
  const sources = await listConcatenated({ table, set: 'sources' })
  const epochs = new Map(epochsSchema.parse(await list({ kind: 'map', table, name: 'epochs' })).map.elem)
  const egress = new Map(egressSchema.parse(await list({ kind: 'map', table, name: 'egress' })).map.elem)
  return sources.flatMap(([interfaceName, source]) => {
    const epoch = epochs.get(interfaceName)
    const kind = egressKinds.find((each) => egress.get(interfaceName)?.jump.target === `egress_${each}`)
    if (epoch === undefined || kind === undefined) return []
    const address = String(source)
    return [{ interfaceName, address, gatewayAddress: pool.gatewayOf(address), epoch, egress: kind }]
  })
}

const egressKinds = ['open', 'allowlist', 'none'] as const satisfies readonly EgressPolicy['kind'][]

import { z } from 'zod'
import type { AddressPool } from './address-pool.models.ts'
import {
  type FirewallEntry,
  type FirewallSettings,
  renderAllowed,
  renderEntry,
  renderPolicy,
  renderTable,
} from './firewall.models.ts'
import type { NetworkNames } from './names.models.ts'
import { runCommand } from './run-command.ts'
import type { EgressPolicy } from './sandbox-network.ts'

/** The nftables table of one installation. What it knows is read back from the kernel, so it survives its process. */
export type Firewall = {
  install(options: { forwarderPort: number }): Promise<void>
  add(entry: Omit<FirewallEntry, 'epoch'>): Promise<void>
  /** Connections that were open under another kind of policy end. */
  setEgress(options: { interfaceName: string; egress: EgressPolicy['kind'] }): Promise<void>
  allow(options: { interfaceName: string; addresses: readonly string[]; seconds: number }): Promise<void>
  /** Takes back everything that {@link Firewall.allow} gave. */
  disallow(interfaceName: string): Promise<void>
  remove(interfaceName: string): Promise<void>
  /** Interfaces that have an entry. */
  known(): string[]
  uninstall(): Promise<void>
}

export function makeFirewall(options: {
  names: NetworkNames
  pool: AddressPool
  settings: FirewallSettings
  randomMark: () => number
}): Firewall {
  const { names, pool, settings, randomMark } = options
  const { table } = names
  const entries = new Map<string, FirewallEntry>()
  const apply = makeBatch()

  return {
    async install({ forwarderPort }) {
      await runCommand(['nft', '-f', '-'], { input: renderTable({ names, pool, forwarderPort, settings }) })
      entries.clear()
      for (const entry of await readEntries({ table, pool })) entries.set(entry.interfaceName, entry)
    },
    async add(wanted) {
      const present = entries.get(wanted.interfaceName)
      const entry = { ...wanted, epoch: present?.epoch ?? randomMark() }
      const old = present === undefined ? [] : renderEntry({ order: 'delete', table, entry: present })
      await apply([...old, ...renderEntry({ order: 'add', table, entry })])
      entries.set(entry.interfaceName, entry)
    },
    async setEgress({ interfaceName, egress }) {
      const present = entries.get(interfaceName)
      if (present === undefined || present.egress === egress) return
      const entry = { ...present, egress, epoch: randomMark() }
      await apply([
        ...renderPolicy({ order: 'delete', table, entry: present }),
        ...renderPolicy({ order: 'add', table, entry }),
      ])
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
      await apply(renderEntry({ order: 'delete', table, entry: present }))
      entries.delete(interfaceName)
    },
    known: () => [...entries.keys()],
    async uninstall() {
      // Adding first makes deleting what is not there succeed.
      await runCommand(['nft', '-f', '-'], { input: `add table inet ${table}\ndelete table inet ${table}\n` })
      entries.clear()
    },
  }
}

/**
 * Joins orders that come while `nft` runs into one transaction: a call costs milliseconds whatever it holds. When a
 * transaction is refused its orders are tried one by one, so that one bad order does not fail the others.
 */
function makeBatch(): (lines: string[]) => Promise<void> {
  type Waiting = { lines: string[]; resolve: () => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let isRunning = false

  const applyOne = async ({ lines, resolve, reject }: Waiting) => {
    await runCommand(['nft', '-f', '-'], { input: `${lines.join('\n')}\n` }).then(resolve, reject)
  }
  const drain = async () => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const input = `${batch.flatMap((each) => each.lines).join('\n')}\n`
      const isDone = await runCommand(['nft', '-f', '-'], { input }).then(
        () => true,
        () => false,
      )
      for (const each of batch) await (isDone ? each.resolve() : applyOne(each))
    }
    isRunning = false
  }
  return (lines) =>
    lines.length === 0
      ? Promise.resolve()
      : new Promise<void>((resolve, reject) => {
          waiting.push({ lines, resolve, reject })
          if (!isRunning) void drain()
        })
}

const concatenatedSchema = z.object({ concat: z.tuple([z.string(), z.union([z.string(), z.number()])]) })
const elementSchema = z.union([
  z.object({ elem: z.object({ val: concatenatedSchema }) }).transform(({ elem }) => elem.val.concat),
  concatenatedSchema.transform(({ concat }) => concat),
])
const setSchema = z.object({ set: z.object({ elem: z.array(elementSchema).default([]) }) })
const epochsSchema = z.object({ map: z.object({ elem: z.array(z.tuple([z.string(), z.number()])).default([]) }) })
const verdictSchema = z.tuple([z.string(), z.object({ jump: z.object({ target: z.string() }) })])
const egressSchema = z.object({ map: z.object({ elem: z.array(verdictSchema).default([]) }) })
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

import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '@threadbox/telemetry'
import { z } from 'zod'
import type { AddressPool } from './address-pool.logic.ts'
import { makeBatches, togetherOrEach } from './batches.ts'
import {
  type FirewallEntry,
  type FirewallSettings,
  formerSet,
  type PrivateService,
  renderEntry,
  renderMachineNetwork,
  renderPrivateServices,
  renderRemoval,
  renderTable,
} from './firewall.logic.ts'
import type { RouterPlace } from './links.ts'
import type { MachineNetwork } from './machine-network.logic.ts'
import { readMachineNetwork } from './machine-network.ts'
import { watchMachineNetwork } from './machine-network-watch.ts'
import type { NetworkNames } from './names.logic.ts'
import { inRouter } from './router.ts'
import { runCommand } from './run-command.ts'
import type { EgressPolicy } from './sandbox-network.ts'

/**
 * The nftables table of one installation’s sandboxes, in the router’s namespace, where no other program changes it. Its
 * data is read from the kernel, so it survives its process.
 */
export type Firewall = {
  /** `known`: entries of the table that an earlier release had in the machine’s namespace. */
  install(options?: { known?: readonly FirewallEntry[] }): Promise<void>
  add(entry: Omit<FirewallEntry, 'epoch'>): Promise<void>
  /** Connections opened before end, unless they are kept. */
  setEgress(
    options: Pick<FirewallEntry, 'interfaceName' | 'egress' | 'isRelayed'> & { keepsConnections?: boolean },
  ): Promise<void>
  remove(interfaceName: string): Promise<void>
  /** Lets egress connect to these services in private networks, and to no others. */
  setPrivateServices(services: readonly PrivateService[]): Promise<void>
  /** The interfaces that have an entry. */
  known(): string[]
  /** Stops watching the table, so that it can be removed. */
  forget(): Promise<void>
}

type FirewallOptions = {
  names: NetworkNames
  router: RouterPlace
  pool: AddressPool
  settings: FirewallSettings
  logger: Logger
  randomMark: () => number
  /** Called after each change of the machine’s network, and each time one may have been missed. */
  machineChanged: () => void
}

export function makeFirewall(options: FirewallOptions): Firewall {
  const { names, router, pool, settings, logger, randomMark, machineChanged } = options
  const { table } = names
  const runNft = makeNft(router)
  /**
   * The content of the table, updated after the orders were carried out. A missing table is restored to its state
   * before them; otherwise the orders would find their changes already made.
   */
  const entries = new Map<string, FirewallEntry>()
  let installed: { stopWatching: () => void } | undefined
  let machine: MachineNetwork = { addresses: [], links: [] }
  let services: readonly PrivateService[] = []
  /** A failed order may have to be repeated. */
  let areServicesApplied = true

  const wholeTable = () => [
    renderTable({ names, pool, settings }),
    ...renderMachineNetwork({ table, network: machine }),
    ...renderPrivateServices({ table, services }),
  ]
  const restore = async () => {
    if (await hasTable(table, router)) return
    if (installed === undefined) return
    const elements = [...entries.values()].flatMap((entry) => renderEntry({ order: 'add', table, entry }))
    await runNft([...wholeTable(), ...elements])
    logger.warn({ table }, 'another program removed the firewall of the sandboxes; it was restored')
  }
  const run = (lines: string[]) =>
    runNft(lines).catch(async (error) => {
      if (await hasTable(table, router)) throw error
      await restore()
      await runNft(lines)
    })
  const transactions = makeBatches((orders: readonly string[][]) => togetherOrEach(orders, (some) => run(some.flat())))
  const apply = async (lines: string[]) => {
    if (lines.length > 0) await transactions.add(lines)
  }

  const updateMachine = async () => {
    machineChanged()
    const network = await readMachineNetwork()
    if (installed === undefined || isDeepStrictEqual(network, machine)) return
    await apply(renderMachineNetwork({ table, network }))
    machine = network
    logger.info(network, 'the machine’s network has changed; it is denied to sandboxes')
  }

  return {
    async install({ known = [] } = {}) {
      installed?.stopWatching()
      machine = await readMachineNetwork()
      const isFormer = (await listSets({ table, router })).includes(formerSet)
      const moved = known.flatMap((entry) => renderEntry({ order: 'add', table, entry }))
      await runNft([...wholeTable(), ...moved])
      const watched = { ownPrefix: names.interfacePrefix, logger, update: updateMachine }
      installed = { stopWatching: watchMachineNetwork(watched) }
      entries.clear()
      for (const entry of await readEntries({ table, pool, router })) entries.set(entry.interfaceName, entry)
      if (isFormer) await endDirect({ table, entries, apply, randomMark })
    },
    async add(wanted) {
      const present = entries.get(wanted.interfaceName)
      if (isDeepStrictEqual(present, { epoch: present?.epoch, ...wanted })) return
      const isSame = present?.egress === wanted.egress
      const entry = { ...wanted, epoch: isSame ? present.epoch : randomMark() }
      const old = present === undefined ? [] : renderRemoval({ table, entry: present })
      await apply([...old, ...renderEntry({ order: 'add', table, entry })])
      entries.set(entry.interfaceName, entry)
    },
    async setEgress({ interfaceName, egress, isRelayed, keepsConnections = false }) {
      const present = entries.get(interfaceName)
      if (present === undefined) return
      if (keepsConnections && present.egress === egress && present.isRelayed === isRelayed) return
      const entry = { ...present, egress, isRelayed, epoch: keepsConnections ? present.epoch : randomMark() }
      await apply([...renderRemoval({ table, entry: present }), ...renderEntry({ order: 'add', table, entry })])
      entries.set(interfaceName, entry)
    },
    async remove(interfaceName) {
      const present = entries.get(interfaceName)
      if (present === undefined) return
      entries.delete(interfaceName)
      await apply(renderRemoval({ table, entry: present }))
    },
    async setPrivateServices(wanted) {
      if (areServicesApplied && isDeepStrictEqual(wanted, services)) return
      services = wanted
      areServicesApplied = true
      await apply(renderPrivateServices({ table, services })).catch((error: unknown) => {
        areServicesApplied = false
        throw error
      })
    },
    known: () => [...entries.keys()],
    async forget() {
      installed?.stopWatching()
      installed = undefined
      entries.clear()
      // Waits until what is in progress is finished.
      await transactions.settled()
    },
  }
}

/** An earlier release let sandboxes with a list open connections to addresses; now they reach names only. */
async function endDirect(options: {
  table: string
  entries: Map<string, FirewallEntry>
  apply: (lines: string[]) => Promise<void>
  randomMark: () => number
}): Promise<void> {
  const { table, entries, apply, randomMark } = options
  for (const present of [...entries.values()].filter(({ egress }) => egress === 'allowlist')) {
    const entry = { ...present, epoch: randomMark(), isRelayed: true }
    await apply([...renderRemoval({ table, entry: present }), ...renderEntry({ order: 'add', table, entry })])
    entries.set(entry.interfaceName, entry)
  }
}

/** Runs transactions of nftables in the router’s namespace, or without one in the machine’s. */
export function makeNft(router?: RouterPlace): (lines: readonly string[]) => Promise<unknown> {
  return (lines) => runCommand(nft(router, '-f', '-'), { input: `${lines.join('\n')}\n` })
}

function nft(router: RouterPlace | undefined, ...args: string[]): [string, ...string[]] {
  return router === undefined ? ['nft', ...args] : inRouter(router, ['nft', ...args])
}

/** Whether the router’s namespace, or without one the machine’s, has the table. */
export async function hasTable(table: string, router?: RouterPlace): Promise<boolean> {
  return (await runCommand(nft(router, 'list', 'tables', 'inet'))).split('\n').includes(`table inet ${table}`)
}

const concatenatedSchema = z.object({ concat: z.tuple([z.string(), z.union([z.string(), z.number()])]) })
const elementSchema = z.union([
  z.object({ elem: z.object({ val: concatenatedSchema }) }).transform(({ elem }) => elem.val.concat),
  concatenatedSchema.transform(({ concat }) => concat),
])
const setSchema = z.object({ set: z.object({ elem: z.array(elementSchema).default([]) }) })
const plainSchema = z.object({ set: z.object({ elem: z.array(z.string()).default([]) }) })
const epochsSchema = z.object({ map: z.object({ elem: z.array(z.tuple([z.string(), z.number()])).default([]) }) })
const ruleSchema = z.tuple([z.string(), z.object({ jump: z.object({ target: z.string() }) })])
const egressSchema = z.object({ map: z.object({ elem: z.array(ruleSchema).default([]) }) })
const listingSchema = z.object({ nftables: z.array(z.unknown()) })

type Place = { table: string; router: RouterPlace | undefined }

async function list({ kind, table, name, router }: Place & { kind: 'set' | 'map'; name: string }): Promise<unknown> {
  const output = await runCommand(nft(router, '-j', 'list', kind, 'inet', table, name))
  return listingSchema.parse(JSON.parse(output)).nftables[1]
}

async function listConcatenated({ set, ...place }: Place & { set: string }) {
  return setSchema.parse(await list({ kind: 'set', name: set, ...place })).set.elem
}

const setsSchema = z.object({ nftables: z.array(z.object({ set: z.object({ name: z.string() }).optional() })) })

/** The names of a table’s sets; none if it does not exist. */
async function listSets({ table, router }: Place): Promise<string[]> {
  if (!(await hasTable(table, router))) return []
  const output = await runCommand(nft(router, '-j', 'list', 'table', 'inet', table))
  return setsSchema.parse(JSON.parse(output)).nftables.flatMap(({ set }) => (set === undefined ? [] : [set.name]))
}

/** Reads the entries of the table in the router’s namespace, or without one in the machine’s. */
export async function readEntries(options: Place & { pool: AddressPool }): Promise<FirewallEntry[]> {
  const { pool, ...place } = options
  const sources = await listConcatenated({ set: 'sources', ...place })
  const hasRelayed = (await listSets(place)).includes('relayed')
  const relayed = hasRelayed ? plainSchema.parse(await list({ kind: 'set', name: 'relayed', ...place })).set.elem : []
  const epochs = new Map(epochsSchema.parse(await list({ kind: 'map', name: 'epochs', ...place })).map.elem)
  const egress = new Map(egressSchema.parse(await list({ kind: 'map', name: 'egress', ...place })).map.elem)
  return sources.flatMap(([interfaceName, source]) => {
    const epoch = epochs.get(interfaceName)
    const kind = egressKinds.find((each) => egress.get(interfaceName)?.jump.target === `egress_${each}`)
    if (epoch === undefined || kind === undefined) return []
    const [address, isRelayed] = [String(source), relayed.includes(interfaceName)]
    return [{ interfaceName, address, gatewayAddress: pool.gatewayOf(address), epoch, egress: kind, isRelayed }]
  })
}

const egressKinds = ['open', 'allowlist', 'none'] as const satisfies readonly EgressPolicy['kind'][]

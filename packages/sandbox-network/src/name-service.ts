import { keepRunning, type LimitFunction, pLimit, waitAtMost } from '@threadbox/concurrency'
import { splitNetworkEntry } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import { isVirtualName, relayedNames } from './dns-policy.logic.ts'
import type { NamesReport } from './name-channel.ts'
import { type NamesProcess, type NamesProgram, startNamesProcess } from './name-process.ts'
import type { EgressPolicy, ServingProcess } from './sandbox-network.ts'

/**
 * The DNS server of sandboxes as the host daemon sees it: a process with a user of its own, which is restarted whenever it
 * ends and then gets all clients again. While it is away, names don’t resolve.
 */
export type NameService = {
  /** Starts the process. Resolves when it serves, or after a time limit: the daemon is then of use for all else. */
  start(program: NamesProgram): Promise<void>
  /** Resolves when no later question is answered by an earlier policy. */
  setClient(client: { address: string; egress: EgressPolicy }): Promise<void>
  egressOf(address: string): EgressPolicy | undefined
  removeClient(address: string): Promise<void>
  process: ServingProcess
  stop(): Promise<void>
}

/** No client has it: an order about it changes nothing. */
const noAddress = '0.0.0.0'

/** Two programs start, one after the other: half a second, more on a busy machine. */
const startTimeoutMs = 10_000

/** With these, one sandbox uses up a quarter of the range. */
const mostNamesEach = 4096

/** So many at a time: a sandbox that makes up names waits itself, and not those that ask for one. */
const namesPerTurn = 8

/** `virtual`: the names for which it got addresses since this process started. */
type Client = { egress: EgressPolicy; isRelay: boolean; virtual: Set<string>; inTurn: LimitFunction }

export function makeNameService(options: {
  /** The address that stands for a name. Undefined: none is left. */
  virtualAddress: (options: { name: string; isListed: boolean }) => Promise<string | undefined>
  onAnswered: (options: { address: string; name: string }) => void
  onRefused: (options: { address: string; name: string }) => void
  logger: Logger
}): NameService {
  const { logger } = options
  const clients = new Map<string, Client>()
  let current: NamesProcess | undefined
  let running: { stopping: AbortController; ended: Promise<void> } | undefined

  const virtual = async ({ address, name }: NamesReport & { type: 'virtual' }) => {
    const client = clients.get(address)
    // The process reads what sandboxes send, so what it asks for is checked again.
    if (client === undefined || !isVirtualName(client.egress, name)) return null
    const isListed = listedNames(client.egress).includes(name)
    const known = client.virtual
    if (known.size >= mostNamesEach && !known.has(name)) return null
    known.add(name)
    const found = await client
      .inTurn(() => options.virtualAddress({ name, isListed }))
      .catch((error: unknown) => logger.warn({ err: error, address }, 'no address stands for a name'))
    return found ?? null
  }
  const handle = (report: NamesReport, process: NamesProcess, serving: () => void) => {
    if (report.type === 'serving') serving()
    if (report.type === 'answered' && clients.has(report.address)) options.onAnswered(report)
    if (report.type === 'refused' && clients.has(report.address)) options.onRefused(report)
    if (report.type === 'virtual')
      void virtual(report).then((address) => process.reply({ type: 'stands-for', id: report.id, address }))
  }
  const keep = async (program: NamesProgram, { stopping, serving }: { stopping: AbortSignal; serving: () => void }) => {
    const run = async () => {
      const listed = [...clients].map(([address, { egress, isRelay }]) => ({
        address,
        egress: mutable(egress),
        isRelay,
      }))
      const started = startNamesProcess({ program, logger, onReport: (report) => handle(report, started, serving) })
      started.reply({ type: 'clients', clients: listed })
      current = started
      const how = await started.ended
      current = undefined
      return how
    }
    await keepRunning({
      run,
      ended: (how, pause) => logger.warn({ ...how, ...pause }, 'the DNS process has ended and will be restarted'),
      signal: stopping,
    })
  }

  return {
    async start(program) {
      if (running !== undefined) return
      // The relay, in the router, asks for the names that sandboxes reach through it.
      clients.set(program.address, newClient({ egress: { kind: 'open' }, isRelay: true }))
      const stopping = new AbortController()
      const serving = Promise.withResolvers<void>()
      const ended = keep(program, { stopping: stopping.signal, serving: serving.resolve })
      running = { stopping, ended }
      await waitAtMost(startTimeoutMs, { work: serving.promise, signal: stopping.signal })
    },
    async setClient({ address, egress }) {
      clients.set(address, { ...(clients.get(address) ?? newClient({ egress, isRelay: false })), egress })
      await current?.order({ type: 'set', client: { address, egress: mutable(egress) } })
    },
    egressOf: (address) => clients.get(address)?.egress,
    async removeClient(address) {
      clients.delete(address)
      await current?.order({ type: 'remove', address })
    },
    process: {
      pid: () => current?.pid,
      respond: async () => void (await current?.order({ type: 'remove', address: noAddress })),
    },
    async stop() {
      running?.stopping.abort()
      current?.end()
      await running?.ended
      running = undefined
    },
  }
}

function newClient(client: Pick<Client, 'egress' | 'isRelay'>): Client {
  return { ...client, virtual: new Set(), inTurn: pLimit(namesPerTurn) }
}

function mutable(egress: EgressPolicy) {
  const common = { brokered: [...(egress.brokered ?? [])], privateAddresses: [...(egress.privateAddresses ?? [])] }
  return egress.kind === 'allowlist' ? { ...egress, names: [...egress.names], ...common } : { ...egress, ...common }
}

function listedNames(egress: EgressPolicy): string[] {
  const entries = [...(egress.kind === 'allowlist' ? egress.names : []), ...relayedNames(egress)]
  return entries.map((entry) => splitNetworkEntry(entry).name)
}

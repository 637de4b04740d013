import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { makeKeyedLock } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import { type AddressPool, chooseAddressPool, makeAddressPool, virtualRangeOf } from './address-pool.logic.ts'
import { makeAttaching } from './attaching.ts'
import { checkEgress, isRelayed, keepsConnections } from './dns-policy.logic.ts'
import type { ResolverAddress } from './dns-upstream.ts'
import { defaultFirewallSettings, type FirewallSettings } from './firewall.logic.ts'
import { type Firewall, hasTable, makeFirewall, readEntries } from './firewall.ts'
import { findForwardBlocks, prepareHost, releaseHost } from './host-network.ts'
import { type KnownLinks, makeKnownLinks } from './known-links.ts'
import {
  addressInside,
  countPackets,
  ipBatch,
  type LinkPlan,
  listLinks,
  listNamespaces,
  listRoutes,
  namespacePathOf,
  neighborLine,
  type RouterPlace,
  removeInterface,
  removeNamespace,
  setLinkState,
} from './links.ts'
import { makeMachineFirewall, removeMachineTable } from './machine-firewall.ts'
import type { NamesProgram } from './name-process.ts'
import { makeNameService, type NameService } from './name-service.ts'
import { makeNetworkNames, type NetworkNames } from './names.logic.ts'
import { makeNamesLog } from './names-asked.logic.ts'
import { makeOpening } from './opening.ts'
import { makePrivateServices, type PrivateServices } from './private-services.ts'
import { hasRouter, prepareRouter, removeRouter, routerPlaceOf } from './router.ts'
import { notAttached } from './sandbox-network.errors.ts'
import type { EgressPolicy, NameRelay, SandboxNetwork } from './sandbox-network.ts'
import { makeUplinkMtu } from './uplink-mtu.ts'

export type SandboxNetworkOptions = {
  installation: string
  /** The range of the sandboxes’ addresses, see {@link prepareFreePool}; the same for the installation’s whole life. */
  pool: string
  logger: Logger
  firewall?: Partial<FirewallSettings>
  /** Without one, no address stands for a name: a list then allows nothing. */
  relay?: NameRelay
  /** The servers that are asked for names; the host’s by default. */
  nameServers?: readonly ResolverAddress[]
  /** Environment of the DNS process, which has a user of its own. */
  namesEnvironment?: Record<string, string>
}

/** Another installation can take the chosen range first. More than a few times in a row are not a coincidence. */
const freePoolAttempts = 5

/**
 * Prepares the network of a new installation in a range that overlaps no route of this host. Keep `pool`: sandboxes own
 * addresses in it permanently. Throws `network.pool-invalid` if every range is in use.
 */
export async function prepareFreePool(
  options: Omit<SandboxNetworkOptions, 'pool'>,
): Promise<{ network: SandboxNetwork; pool: string }> {
  for (let attempt = 1; ; attempt++) {
    const pool = chooseAddressPool({ routes: (await listRoutes()).map((route) => route.range) })
    const network = makeSandboxNetwork({ ...options, pool })
    try {
      await network.prepare({ keep: new Set() })
      return { network, pool }
    } catch (error) {
      const isTaken = isThreadboxError(error) && error.code === 'network.pool-invalid'
      if (!isTaken || attempt === freePoolAttempts) throw error
    }
  }
}

/** Removes everything of an installation from the host, without its daemon. Does nothing if nothing exists. */
export async function removeNetworkOf(installation: string): Promise<void> {
  const names = makeNetworkNames(installation)
  for (const { interfaceName } of await listLinks(names)) await removeInterface(interfaceName)
  if (await hasRouter(names)) {
    const router = routerPlaceOf(names)
    for (const { interfaceName } of await listLinks(names, router)) await removeInterface(interfaceName, router)
  }
  for (const namespaceName of await listNamespaces(names)) await removeNamespace(namespaceName)
  await removeRouter(names)
  await removeMachineTable(names.table)
  await releaseHost({ names })
}

/** Longer than the round trip to a distant peer, and than the 40 ms for which a peer can delay an acknowledgment. */
const quietMs = 250
/** The time limit for peers that keep sending: what they send after it, they send again. */
const settleMs = 500
const settleStepMs = 10

const noRelay: NameRelay = {
  addressFor: async () => undefined,
  setSandbox: async () => undefined,
  removeSandbox: async () => undefined,
  onRefused: () => undefined,
  hold: async () => undefined,
}

type NetworkDependencies = {
  names: NetworkNames
  router: RouterPlace
  pool: AddressPool
  firewall: Firewall
  privateServices: PrivateServices
  relay: NameRelay
  known: KnownLinks
}

/** The network of sandboxes on Linux: namespaces, veth pairs, nftables. Needs root, `ip` and `nft`. */
export function makeSandboxNetwork(options: SandboxNetworkOptions): SandboxNetwork {
  const { logger, relay = noRelay } = options
  const names = makeNetworkNames(options.installation)
  const pool = makeAddressPool(options.pool)
  const router = routerPlaceOf(names)
  const { firewall, known, attaching } = makeLinkParts({ options, names, router, pool })
  const machineFirewall = makeMachineFirewall({ names, pool, logger })
  const interfaceByAddress = new Map<string, string>()
  const { asked, refused, ...records } = makeRecords(relay, names)
  const service = makeNameService({
    virtualAddress: (name) => relay.addressFor({ ...name, range: virtualRangeOf(pool) }),
    onAnswered: ({ address, name }) => asked.note(interfaceByAddress.get(address) ?? '', name),
    onRefused: ({ address, name }) => refused.note(interfaceByAddress.get(address) ?? '', { name, reason: 'policy' }),
    logger,
  })
  const privateServices = makePrivateServices(firewall)
  const dependencies = { names, router, pool, firewall, privateServices, relay, known }
  const lock = makeKeyedLock()
  const opening = makeOpening({
    openRouter: () => prepareHost({ pool, names }).then(() => prepareRouter({ pool, names })),
    installRules: async () => {
      await firewall.install({ known: await readFormerEntries({ names, pool }) })
      await machineFirewall.install()
    },
    startNames: () => service.start(programOf({ ...options, address: pool.routerAddress })),
  })
  const openRouter = async () => {
    await opening.begin()
    return namespacePathOf(router.namespaceName)
  }

  const detach = async (sandboxId: string) => {
    const interfaceName = names.interfaceOf(sandboxId)
    records.forget(interfaceName)
    await attaching.remove(sandboxId)
    await firewall.remove(interfaceName)
    await privateServices.set(interfaceName, [])
    await relay.removeSandbox(sandboxId)
    for (const [address, known] of interfaceByAddress) {
      if (known !== interfaceName) continue
      interfaceByAddress.delete(address)
      await service.removeClient(address)
    }
  }

  return {
    openRouter,
    async prepare({ keep }) {
      await opening.finish()
      await moveLinks({ names, router })
      known.clear()
      for (const link of await removeLeftOvers({ names, router, firewall, pool, keep })) known.remember(link)
      await warnOfForwardBlocks(options)
    },
    async stop() {
      opening.forgetNames()
      await service.stop()
    },
    async close() {
      opening.forget()
      await service.stop()
      await firewall.forget()
      await machineFirewall.forget()
      await removeNetworkOf(options.installation)
      interfaceByAddress.clear()
      known.clear()
    },

    attach: async ({ sandboxId, address, egress: wanted }) =>
      lock(sandboxId, async () => {
        const egress = checkEgress(wanted)
        const attachment = await attaching.attach({ sandboxId, address, egress })
        interfaceByAddress.set(address, names.interfaceOf(sandboxId))
        records.begin(names.interfaceOf(sandboxId))
        await privateServices.set(names.interfaceOf(sandboxId), egress.privateAddresses)
        await service.setClient({ address, egress })
        await relay.setSandbox({ sandboxId, address, egress })
        return attachment
      }),
    restoreAddress: (sandboxId) => restoreAddress({ dependencies, sandboxId }),
    setLink: (change) => setLink({ dependencies, ...change }),
    settle: (sandboxId) => settle({ dependencies, sandboxId }),
    setEgress: async ({ sandboxId, egress }) =>
      lock(sandboxId, async () => {
        await changeEgress({ dependencies, service, sandboxId, egress: checkEgress(egress) })
      }),
    detach: async (sandboxId) => lock(sandboxId, () => detach(sandboxId)),
    namesAsked: (sandboxId, sinceMs) => asked.since(names.interfaceOf(sandboxId), sinceMs),
    namesRefused: (sandboxId, sinceMs) => refused.since(names.interfaceOf(sandboxId), sinceMs),
    async list() {
      const ids = (await listLinks(names, router)).map((link) => link.sandboxId)
      return ids.filter((id) => id !== undefined).sort()
    },
    addresses: () => pool.addresses(),
    names: service.process,
  }
}

/** What makes links, and the rules about them. */
function makeLinkParts(parts: {
  options: SandboxNetworkOptions
  names: NetworkNames
  router: RouterPlace
  pool: AddressPool
}) {
  const { options, ...shared } = parts
  const uplinkMtu = makeUplinkMtu()
  const firewall = makeFirewall({
    ...shared,
    settings: { ...defaultFirewallSettings, ...options.firewall },
    logger: options.logger,
    randomMark: () => randomInt(1, 2 ** 31),
    machineChanged: uplinkMtu.forget,
  })
  const known = makeKnownLinks(shared.router)
  return { firewall, known, attaching: makeAttaching({ ...shared, firewall, known, uplinkMtu }) }
}

/** What sandboxes asked for and what they were kept from, by interface. */
function makeRecords(relay: NameRelay, names: NetworkNames) {
  const [asked, refused] = [makeNamesLog(Date.now), makeNamesLog(Date.now)]
  relay.onRefused(({ sandboxId, name, port, reason }) =>
    refused.note(names.interfaceOf(sandboxId), { name: `${name}:${port}`, reason }),
  )
  return {
    asked,
    refused,
    begin: (interfaceName: string) => [asked, refused].forEach((log) => void log.begin(interfaceName)),
    forget: (interfaceName: string) => [asked, refused].forEach((log) => void log.forget(interfaceName)),
  }
}

function programOf(options: SandboxNetworkOptions & { address: string }): NamesProgram {
  const { installation, address, nameServers, namesEnvironment } = options
  const environment = { ...namesEnvironment, THREADBOX_INSTALLATION: installation }
  return { address, environment, ...(nameServers === undefined ? {} : { servers: nameServers }) }
}

async function warnOfForwardBlocks({ installation, logger }: Pick<SandboxNetworkOptions, 'installation' | 'logger'>) {
  for (const block of await findForwardBlocks({ installation })) {
    logger.warn(block, 'another firewall drops what sandboxes send')
  }
}

/** Ends connections that the policy no longer allows. */
async function changeEgress(options: {
  dependencies: NetworkDependencies
  service: NameService
  sandboxId: string
  egress: EgressPolicy
}): Promise<void> {
  const { dependencies, service, sandboxId, egress } = options
  const { firewall, privateServices, relay } = dependencies
  const { interfaceName, address } = await findLink({ dependencies, sandboxId })
  await privateServices.set(interfaceName, egress.privateAddresses)
  const earlier = service.egressOf(address)
  await service.setClient({ address, egress })
  await relay.setSandbox({ sandboxId, address, egress })
  await firewall.setEgress({
    interfaceName,
    egress: egress.kind,
    isRelayed: isRelayed(egress),
    keepsConnections: earlier !== undefined && keepsConnections(egress, earlier),
  })
}

async function restoreAddress(options: { dependencies: NetworkDependencies; sandboxId: string }): Promise<void> {
  const { dependencies, sandboxId } = options
  const { address, gatewayAddress } = await findLink({ dependencies, sandboxId })
  await addressInside({ namespaceName: dependencies.names.namespaceOf(sandboxId), address, gatewayAddress })
}

async function setLink(options: {
  dependencies: NetworkDependencies
  sandboxId: string
  state: 'up' | 'down'
}): Promise<void> {
  const { dependencies, sandboxId, state } = options
  const { names, router, relay } = dependencies
  if (state === 'down') await relay.hold({ sandboxId, isHeld: true })
  const isChanged = await setLinkState(router, { interfaceName: names.interfaceOf(sandboxId), state })
  if (!isChanged) throw notAttached({ sandboxId })
  if (state === 'up') await relay.hold({ sandboxId, isHeld: false })
}

async function settle(options: { dependencies: NetworkDependencies; sandboxId: string }): Promise<void> {
  const { dependencies, sandboxId } = options
  const { names, router, relay } = dependencies
  const interfaceName = names.interfaceOf(sandboxId)
  await relay.hold({ sandboxId, isHeld: true })
  const startedAt = performance.now()
  let [quietSince, count] = [startedAt, await countPackets(router, interfaceName)]
  if (count === undefined) throw notAttached({ sandboxId })
  while (performance.now() - quietSince < quietMs && performance.now() - startedAt < settleMs) {
    await delay(settleStepMs)
    const now = await countPackets(router, interfaceName)
    if (now !== count) [quietSince, count] = [performance.now(), now]
  }
}

/** Entries of the table that an earlier release had in the machine’s namespace. */
async function readFormerEntries({ names, pool }: Pick<NetworkDependencies, 'names' | 'pool'>) {
  const { table } = names
  if (!(await hasTable(table))) return []
  // The table of this release has no such sets.
  return await readEntries({ table, pool, router: undefined }).catch(() => [])
}

/** Moves links that an earlier release had in the machine’s namespace. Their sandboxes keep running. */
async function moveLinks({ names, router }: Pick<NetworkDependencies, 'names' | 'router'>): Promise<void> {
  for (const { interfaceName, gatewayAddress, isUp } of await listLinks(names)) {
    await ipBatch([`link set ${interfaceName} netns ${router.namespaceName}`])
    const address = gatewayAddress === undefined ? [] : [`addr replace ${gatewayAddress}/30 dev ${interfaceName}`]
    await ipBatch([...address, ...(isUp ? [`link set ${interfaceName} up`] : [])], router)
  }
}

/** Removes links that are not to be kept, incomplete ones, and rules without a link. Returns the complete ones, of this release. */
async function removeLeftOvers(options: {
  names: NetworkNames
  router: RouterPlace
  firewall: Firewall
  pool: AddressPool
  keep: ReadonlySet<string>
}): Promise<LinkPlan[]> {
  const { names, router, firewall, pool, keep } = options
  const links = await listLinks(names, router)
  const whole = links.filter((link) => link.sandboxId !== undefined && keep.has(link.sandboxId))
  const keptInterfaces = new Set(whole.map((link) => link.interfaceName))
  const keptNamespaces = new Set(whole.map((link) => names.namespaceOf(link.sandboxId ?? '')))
  for (const { interfaceName } of links) {
    if (!keptInterfaces.has(interfaceName)) await removeInterface(interfaceName, router)
  }
  for (const namespaceName of await listNamespaces(names)) {
    if (!keptNamespaces.has(namespaceName)) await removeNamespace(namespaceName)
  }
  for (const interfaceName of firewall.known()) {
    if (!keptInterfaces.has(interfaceName)) await firewall.remove(interfaceName)
  }
  if (keptInterfaces.size > 0) await ipBatch([...keptInterfaces].map(neighborLine), router)
  return whole.flatMap(({ sandboxId = '', interfaceName, gatewayAddress, mtu }) => {
    if (gatewayAddress === undefined) return []
    const address = addressBehind({ pool, gatewayAddress })
    return [{ sandboxId, interfaceName, namespaceName: names.namespaceOf(sandboxId), address, gatewayAddress, mtu }]
  })
}

async function findLink(options: {
  dependencies: NetworkDependencies
  sandboxId: string
}): Promise<Pick<LinkPlan, 'interfaceName' | 'address' | 'gatewayAddress'>> {
  const { dependencies, sandboxId } = options
  const { names, router, pool, known } = dependencies
  const link = await known.find(sandboxId)
  if (link !== undefined) return link
  const listed = (await listLinks(names, router)).find((each) => each.sandboxId === sandboxId)
  if (listed?.gatewayAddress === undefined) throw notAttached({ sandboxId })
  const { interfaceName, gatewayAddress } = listed
  return { interfaceName, gatewayAddress, address: addressBehind({ pool, gatewayAddress }) }
}

function addressBehind(options: { pool: AddressPool; gatewayAddress: string }): string {
  const found = /^(.*\.)(\d+)$/.exec(options.gatewayAddress)
  const address = `${found?.[1]}${Number(found?.[2]) + 1}`
  options.pool.gatewayOf(address)
  return address
}

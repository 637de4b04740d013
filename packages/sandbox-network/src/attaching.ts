import type { AddressPool } from './address-pool.logic.ts'
import { makeBatches, togetherOrEach } from './batches.ts'
import { isRelayed } from './dns-policy.logic.ts'
import type { Firewall } from './firewall.ts'
import type { KnownLinks } from './known-links.ts'
import {
  createLinks,
  type LinkPlan,
  type LinkTraces,
  listLinks,
  listNamespaces,
  namespacePathOf,
  type RouterLink,
  type RouterPlace,
  removeLinks,
} from './links.ts'
import type { NetworkNames } from './names.logic.ts'
import { addressInUse, attachedToOtherAddress } from './sandbox-network.errors.ts'
import type { EgressPolicy, NetworkAttachment } from './sandbox-network.ts'
import type { UplinkMtu } from './uplink-mtu.ts'

type AttachOrder = { sandboxId: string; address: string; egress: EgressPolicy }

type AttachingDependencies = {
  names: NetworkNames
  router: RouterPlace
  pool: AddressPool
  firewall: Firewall
  known: KnownLinks
  uplinkMtu: UplinkMtu
}

/** Makes and removes links. Those of calls at the same time are made by the same few programs. */
export type Attaching = {
  attach(order: AttachOrder): Promise<NetworkAttachment>
  /** Resolves when the link is gone, so that its address is free. */
  remove(sandboxId: string): Promise<void>
}

export function makeAttaching(dependencies: AttachingDependencies): Attaching {
  const { names, router, pool, firewall, known } = dependencies
  const attaching = makeBatches((orders: AttachOrder[]) => attachAll(dependencies, orders))
  const removing = makeBatches((traces: LinkTraces[]) =>
    togetherOrEach(traces, (together) => removeLinks(router, together)),
  )
  return {
    async attach(order) {
      const { sandboxId, address } = order
      const gatewayAddress = pool.gatewayOf(address)
      // Invalid IDs are refused before they are in an order with others.
      names.namespaceOf(sandboxId)
      const link = await known.find(sandboxId)
      if (link === undefined) return await attaching.add(order)
      if (link.gatewayAddress !== gatewayAddress) {
        throw attachedToOtherAddress({ sandboxId, address: link.gatewayAddress })
      }
      await firewall.add(entryOf(link, order.egress))
      return attachmentOf(link)
    },
    async remove(sandboxId) {
      known.forget(sandboxId)
      await removing.add({ interfaceName: names.interfaceOf(sandboxId), namespaceName: names.namespaceOf(sandboxId) })
    },
  }
}

/** One list of the links serves all orders, and the orders know of each other. */
async function attachAll(
  dependencies: AttachingDependencies,
  orders: readonly AttachOrder[],
): Promise<PromiseSettledResult<NetworkAttachment>[]> {
  const { names, router, firewall, known } = dependencies
  const links = await listLinks(names, router)
  const namespaces = new Set(await listNamespaces(names))
  const mtu = await dependencies.uplinkMtu.read()
  const decided = orders.map((order) => {
    try {
      const decision = decide({ dependencies, order, links, namespaces, mtu })
      if (!decision.isWhole) links.push({ ...decision.link, isUp: true })
      return { ...decision, egress: order.egress }
    } catch (reason) {
      return { reason }
    }
  })
  const missing = decided.flatMap((each) => ('link' in each && !each.isWhole ? [each] : []))
  const made = new Map<unknown, PromiseSettledResult<void>>()
  const outcomes = missing.length === 0 ? [] : await togetherOrEach(missing, (plans) => make(dependencies, plans))
  for (const [index, each] of missing.entries()) {
    const outcome = outcomes[index]
    if (outcome !== undefined) made.set(each, outcome)
  }
  return await Promise.allSettled(
    decided.map(async (each) => {
      if ('reason' in each) throw each.reason
      const outcome = made.get(each)
      if (outcome?.status === 'rejected') throw outcome.reason
      if (each.isWhole) await firewall.add(entryOf(each.link, each.egress))
      known.remember(each.link)
      return attachmentOf(each.link)
    }),
  )
}

/** What an order needs. Throws if its address or its name is another sandbox’s. */
function decide(options: {
  dependencies: AttachingDependencies
  order: AttachOrder
  links: readonly RouterLink[]
  namespaces: ReadonlySet<string>
  mtu: number
}): { link: LinkPlan; isWhole: boolean } {
  const { dependencies, order, links, namespaces, mtu } = options
  const { sandboxId, address } = order
  const gatewayAddress = dependencies.pool.gatewayOf(address)
  const interfaceName = dependencies.names.interfaceOf(sandboxId)
  const namespaceName = dependencies.names.namespaceOf(sandboxId)
  const owner = links.find((link) => link.gatewayAddress === gatewayAddress && link.interfaceName !== interfaceName)
  if (owner !== undefined) throw addressInUse({ address, sandboxId: owner.sandboxId ?? 'that is being made' })
  const present = links.find((link) => link.interfaceName === interfaceName)
  if (present?.sandboxId !== undefined && present.sandboxId !== sandboxId) {
    throw addressInUse({ address: interfaceName, sandboxId: present.sandboxId })
  }
  const plan = { sandboxId, interfaceName, namespaceName, address, gatewayAddress, mtu }
  if (present?.sandboxId === undefined || !namespaces.has(namespaceName)) return { link: plan, isWhole: false }
  if (present.gatewayAddress !== gatewayAddress) {
    throw attachedToOtherAddress({ sandboxId, address: present.gatewayAddress ?? 'an unknown address' })
  }
  return { link: { ...plan, mtu: present.mtu }, isWhole: true }
}

/** The rules come first: a link that is up always has them. Removes everything if something fails. */
async function make(
  { router, firewall }: AttachingDependencies,
  missing: readonly { link: LinkPlan; egress: EgressPolicy }[],
): Promise<void> {
  const plans = missing.map(({ link }) => link)
  await removeLinks(router, plans)
  try {
    await allOf(missing.map(({ link, egress }) => firewall.add(entryOf(link, egress))))
    await createLinks(router, plans)
  } catch (error) {
    for (const outcome of await togetherOrEach(plans, (some) => removeLinks(router, some))) {
      if (outcome.status === 'rejected') throw outcome.reason
    }
    await allOf(plans.map(({ interfaceName }) => firewall.remove(interfaceName)))
    throw error
  }
}

/** Throws the first failure, after the others have ended. */
async function allOf(work: Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(work)) if (outcome.status === 'rejected') throw outcome.reason
}

function entryOf({ interfaceName, address, gatewayAddress }: LinkPlan, egress: EgressPolicy) {
  return { interfaceName, address, gatewayAddress, egress: egress.kind, isRelayed: isRelayed(egress) }
}

function attachmentOf({ sandboxId, namespaceName, address, gatewayAddress, mtu }: LinkPlan): NetworkAttachment {
  return { sandboxId, namespacePath: namespacePathOf(namespaceName), address, gatewayAddress, mtu }
}

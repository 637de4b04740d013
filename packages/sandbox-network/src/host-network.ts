import { readFile, writeFile } from 'node:fs/promises'
import { formatIpv4Range, overlapsIpv4 } from '@threadbox/domain'
import { z } from 'zod'
import type { AddressPool } from './address-pool.logic.ts'
import { ipBatch, listLoopbackAddresses, listRoutes, type Route } from './links.ts'
import { makeNetworkNames, type NetworkNames } from './names.logic.ts'
import { runCommand } from './run-command.ts'
import { poolInvalid } from './sandbox-network.errors.ts'

/**
 * Sets up the machine: forwarding, an address that claims the range, and a route that makes every address of sandboxes
 * unreachable, so that no packet for one leaves by the default route.
 */
export async function prepareHost(options: { pool: AddressPool; names: NetworkNames }): Promise<void> {
  const { pool, names } = options
  const label = labelOf(names)
  const isPrepared = await hasOwnAddress({ pool, label })
  const routes = (await listRoutes()).filter((route) => overlapsIpv4(route.range, pool.range))
  const foreign = routes.find((route) => !isOwnRoute({ route, pool, names }))
  if (foreign !== undefined) {
    const via = foreign.device === undefined ? '' : ` through ${foreign.device}`
    throw poolInvalid({ pool: pool.text, reason: `this host has a route to ${formatIpv4Range(foreign.range)}${via}` })
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1')
  // On the loopback interface, because not every kernel has dummy interfaces. The label names the installation.
  if (!isPrepared) {
    await ipBatch([`addr add ${pool.claimAddress}/32 dev lo label ${label}`]).catch(async (error) => {
      // Another installation can have taken the range since it was checked.
      await hasOwnAddress({ pool, label })
      throw error
    })
  }
  await ipBatch([`route replace unreachable ${pool.text}`])
}

/** Whether this installation has the range already. Throws `network.pool-invalid` if another program has it. */
async function hasOwnAddress(options: { pool: AddressPool; label: string }): Promise<boolean> {
  const { pool, label } = options
  const owner = (await listLoopbackAddresses()).find(({ range }) => overlapsIpv4(range, pool.range))
  if (owner === undefined) return false
  if (owner.label === label) return true
  throw poolInvalid({ pool: pool.text, reason: `${formatIpv4Range(owner.range)} is on the loopback interface already` })
}

/**
 * Undoes {@link prepareHost}, for any range; forwarding stays enabled, because other programs may rely on it by now.
 */
export async function releaseHost(options: { names: NetworkNames }): Promise<void> {
  const label = labelOf(options.names)
  const routes = await listRoutes()
  for (const { range } of (await listLoopbackAddresses()).filter((address) => address.label === label)) {
    const pool = routes.find((route) => route.isUnreachable && route.range.base + 1 === range.base)
    if (pool !== undefined) await runCommand(['ip', 'route', 'delete', 'unreachable', formatIpv4Range(pool.range)])
    // Last, because it marks the rest as ours.
    await runCommand(['ip', 'addr', 'delete', formatIpv4Range(range), 'dev', 'lo'])
  }
}

function labelOf(names: NetworkNames): string {
  return `lo:${names.interfacePrefix}`
}

/** Within the pool: the unreachable route over all of it, the claimed address, the link to the router, and links of
 * sandboxes that an earlier release had in this namespace.
 */
function isOwnRoute(options: { route: Route; pool: AddressPool; names: NetworkNames }): boolean {
  const { route, pool, names } = options
  if (route.range.prefixLength < pool.range.prefixLength) return false
  return route.isUnreachable || route.device === 'lo' || (route.device?.startsWith(names.interfacePrefix) ?? false)
}

/** Another program’s rule that drops packets between the router and other machines. */
export type ForwardBlock = { owner: 'docker' | 'ufw' | 'other'; chain: string; interfaceName: string; cure: string }

const chainSchema = z.object({
  chain: z.object({
    family: z.string(),
    table: z.string(),
    name: z.string(),
    hook: z.string().optional(),
    policy: z.string().optional(),
  }),
})
const rulesetSchema = z.object({ nftables: z.array(z.unknown()) })

/**
 * Finds other programs’ chains that drop forwarded packets by default: every chain at a hook must accept, so ours alone
 * cannot let sandboxes out. Changes nothing; each finding has a fix.
 */
export async function findForwardBlocks(options: { installation: string }): Promise<ForwardBlock[]> {
  const { uplinkInterface } = makeNetworkNames(options.installation)
  const output = await runCommand(['nft', '-j', 'list', 'chains'])
  const chains = rulesetSchema.parse(JSON.parse(output)).nftables.flatMap((entry) => {
    const parsed = chainSchema.safeParse(entry)
    return parsed.success ? [parsed.data.chain] : []
  })
  const names = new Set(chains.map((chain) => chain.name))
  const dropping = chains.filter(
    (chain) => chain.hook === 'forward' && chain.policy === 'drop' && chain.family !== 'ip6',
  )
  const found = dropping.map((chain) => `${chain.family} ${chain.table} ${chain.name}`)
  if (await hasLegacyDrop()) found.push('iptables-legacy FORWARD')
  return found.map((chain) => ({ chain, interfaceName: uplinkInterface, ...fixFor({ chain, names, uplinkInterface }) }))
}

function fixFor(options: { chain: string; names: ReadonlySet<string>; uplinkInterface: string }) {
  const { chain, names, uplinkInterface: own } = options
  if (names.has('DOCKER-USER')) {
    const fix =
      `iptables -I DOCKER-USER -i ${own} -j ACCEPT; ` +
      `iptables -I DOCKER-USER -o ${own} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`
    return { owner: 'docker' as const, cure: fix }
  }
  if (names.has('ufw-before-forward')) {
    return { owner: 'ufw' as const, cure: `ufw route allow in on ${own}` }
  }
  const fix = `In ${chain}, accept forwarded packets from ${own}, and established ones to it.`
  return { owner: 'other' as const, cure: fix }
}

/** Legacy rules are not in nftables; their module is loaded only if they are in use. */
async function hasLegacyDrop(): Promise<boolean> {
  const tables = await readFile('/proc/net/ip_tables_names', 'utf8').catch(() => '')
  if (!tables.includes('filter')) return false
  const rules = await runCommand(['iptables-legacy', '-S', 'FORWARD']).catch(() => '')
  return rules.includes('-P FORWARD DROP')
}

import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { AddressPool } from './address-pool.logic.ts'
import { formatRange, overlaps } from './ipv4.logic.ts'
import { ipBatch, listLoopbackAddresses, listRoutes, type Route } from './links.ts'
import type { NetworkNames } from './names.logic.ts'
import { runCommand } from './run-command.ts'
import { poolInvalid } from './sandbox-network.errors.ts'

/**
 * Sets up the host: forwarding, an address for the DNS forwarder, and a route that makes every address of the pool
 * without a sandbox unreachable, so that no packet for a sleeping one leaves by the default route.
 */
export async function prepareHost(options: { pool: AddressPool; names: NetworkNames }): Promise<void> {
  const { pool, names } = options
  const label = labelOf(names)
  const isPrepared = await hasOwnAddress({ pool, label })
  const routes = (await listRoutes()).filter((route) => overlaps(route.range, pool.range))
  const foreign = routes.find((route) => !isOwnRoute({ route, pool, names }))
  if (foreign !== undefined) {
    const via = foreign.device === undefined ? '' : ` through ${foreign.device}`
    throw poolInvalid({ pool: pool.text, reason: `this host has a route to ${formatRange(foreign.range)}${via}` })
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1')
  // On the loopback interface, because not every kernel has dummy interfaces. The label names the installation.
  if (!isPrepared) {
    await ipBatch([`addr add ${pool.forwarderAddress}/32 dev lo label ${label}`]).catch(async (error) => {
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
  const owner = (await listLoopbackAddresses()).find(({ range }) => overlaps(range, pool.range))
  if (owner === undefined) return false
  if (owner.label === label) return true
  throw poolInvalid({ pool: pool.text, reason: `${formatRange(owner.range)} is on the loopback interface already` })
}

/**
 * Undoes {@link prepareHost}, for any range; forwarding stays enabled, because other programs may rely on it by now.
 */
export async function releaseHost(options: { names: NetworkNames }): Promise<void> {
  const label = labelOf(options.names)
  const routes = await listRoutes()
  for (const { range } of (await listLoopbackAddresses()).filter((address) => address.label === label)) {
    const pool = routes.find((route) => route.isUnreachable && route.range.base + 1 === range.base)
    if (pool !== undefined) await runCommand(['ip', 'route', 'delete', 'unreachable', formatRange(pool.range)])
    // Last, because it marks the rest as ours.
    await runCommand(['ip', 'addr', 'delete', formatRange(range), 'dev', 'lo'])
  }
}

function labelOf(names: NetworkNames): string {
  return `lo:${names.interfacePrefix}`
}

/** Within the pool: the unreachable route over all of it, the forwarder’s address, and our links. */
function isOwnRoute(options: { route: Route; pool: AddressPool; names: NetworkNames }): boolean {
  const { route, pool, names } = options
  if (route.range.prefixLength < pool.range.prefixLength) return false
  return route.isUnreachable || route.device === 'lo' || (route.device?.startsWith(names.interfacePrefix) ?? false)
}

/** Another program’s rule that applies before ours and drops packets of sandboxes. */
export type ForwardBlock = { owner: 'docker' | 'ufw' | 'other'; chain: string; cure: string }

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
export async function findForwardBlocks(options: { interfacePrefix: string }): Promise<ForwardBlock[]> {
  const { interfacePrefix } = options
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
  return found.map((chain) => ({ chain, ...fixFor({ chain, names, interfacePrefix }) }))
}

function fixFor(options: { chain: string; names: ReadonlySet<string>; interfacePrefix: string }) {
  const { chain, names, interfacePrefix } = options
  const own = `${interfacePrefix}+`
  if (names.has('DOCKER-USER')) {
    const fix =
      `iptables -I DOCKER-USER -i ${own} -j ACCEPT; ` +
      `iptables -I DOCKER-USER -o ${own} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`
    return { owner: 'docker' as const, cure: fix }
  }
  if (names.has('ufw-before-forward')) {
    return { owner: 'ufw' as const, cure: `ufw route allow in on ${own}` }
  }
  const fix = `In ${chain}, accept forwarded packets from interfaces ${interfacePrefix}*, and established ones to them.`
  return { owner: 'other' as const, cure: fix }
}

/** Legacy rules are not in nftables; their module is loaded only if they are in use. */
async function hasLegacyDrop(): Promise<boolean> {
  const tables = await readFile('/proc/net/ip_tables_names', 'utf8').catch(() => '')
  if (!tables.includes('filter')) return false
  const rules = await runCommand(['iptables-legacy', '-S', 'FORWARD']).catch(() => '')
  return rules.includes('-P FORWARD DROP')
}

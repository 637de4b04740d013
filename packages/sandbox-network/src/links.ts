import { access, readdir, readFile, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Ipv4Range, parseIpv4Range } from '@threadbox/domain'
import { z } from 'zod'
import type { NetworkNames } from './names.logic.ts'
import { runCommand } from './run-command.ts'

const namespaceDirectory = '/run/netns'
/** The name of the interface inside of a sandbox. */
const insideName = 'eth0'

/** Where the router’s ends of links are. */
export type RouterPlace = {
  namespaceName: string
  /** The kernel’s files of that namespace; see {@link prepareRouter}. */
  sysDirectory: string
}

/** One sandbox's namespace and veth pair. */
export type LinkPlan = {
  sandboxId: string
  interfaceName: string
  namespaceName: string
  address: string
  gatewayAddress: string
  mtu: number
}

export type RouterLink = {
  interfaceName: string
  isUp: boolean
  /** The sandbox that it was made for; undefined if it is incomplete. */
  sandboxId: string | undefined
  gatewayAddress: string | undefined
  mtu: number
}

/**
 * Creates namespaces and pairs with their addresses, and brings them up. Neither end ever has IPv6: the router’s namespace
 * has none. The alias is set last and marks a link as complete.
 */
export async function createLinks(router: RouterPlace, plans: readonly LinkPlan[]): Promise<void> {
  // In the machine’s namespace: `ip -n` has mounts of its own, so no other process would see the new namespaces.
  await ipBatch(
    plans.flatMap(({ namespaceName }) => [
      `netns add ${namespaceName}`,
      `netns exec ${namespaceName} sysctl -qew ${withoutIpv6.join(' ')}`,
    ]),
  )
  await ipBatch(
    plans.flatMap(({ interfaceName, namespaceName, gatewayAddress, mtu }) => [
      `link add ${interfaceName} mtu ${mtu} type veth peer name ${insideName} mtu ${mtu} netns ${namespaceName}`,
      neighborLine(interfaceName),
      `addr replace ${gatewayAddress}/30 dev ${interfaceName}`,
      `link set ${interfaceName} up`,
    ]),
    router,
  )
  await addressAllInside(plans)
  for (const { interfaceName, sandboxId } of plans) await writeFile(aliasFile(router, interfaceName), sandboxId)
}

/** As long in all as the kernel’s own 3 attempts, one a second. */
const neighborAgainMs = 20
const neighborAttempts = 150

/**
 * A command of `ip` in the router’s namespace: asks for the hardware address of the other end again after milliseconds. A worker of
 * the kernel connects that end some time after a link was raised, which shows nowhere outside of its namespace; until then it
 * drops what the sandbox sends, its first reply too.
 */
export function neighborLine(interfaceName: string): string {
  const attempts = `ucast_probes ${neighborAttempts} mcast_probes ${neighborAttempts}`
  return `ntable change name arp_cache dev ${interfaceName} retrans ${neighborAgainMs} ${attempts}`
}

function aliasFile(router: RouterPlace, interfaceName: string): string {
  return `${router.sysDirectory}/class/net/${interfaceName}/ifalias`
}

type InsideAddresses = { namespaceName: string; address: string; gatewayAddress: string }

/** Restores the addresses and routes that runsc removes from the namespace when it starts. */
export async function addressInside(plan: InsideAddresses): Promise<void> {
  await ipBatch(insideLines(plan), plan)
}

/** A batch has one standard input, so each namespace gets its own from a shell. Every value was checked or made here. */
async function addressAllInside(plans: readonly InsideAddresses[]): Promise<void> {
  const linesOf = (plan: InsideAddresses) => insideLines(plan).map((line) => `'${line}'`)
  await ipBatch(
    plans.map(
      (plan) => `netns exec ${plan.namespaceName} sh -c "printf '%s\\n' ${linesOf(plan).join(' ')} | ip -batch -"`,
    ),
  )
}

function insideLines({ address, gatewayAddress }: InsideAddresses): string[] {
  return [
    'link set lo up',
    `addr replace ${address}/30 dev ${insideName}`,
    `link set ${insideName} up`,
    `route replace default via ${gatewayAddress} dev ${insideName}`,
  ]
}

/** IFF_UP of linux/if.h. */
const upFlag = 0x1

/** A raised pair is connected within a millisecond, unless namespaces are being removed at the same time. */
const connectedWithinMs = 1000
const checkAgainMs = 1

/**
 * Brings the router’s end up or down through the kernel’s own file: a wake waits for it, and a program would take longer
 * than everything else. False if the interface does not exist. A packet sent before the kernel has connected the pair is lost,
 * and a program sends it again only after a second: so this waits until this end is connected (see {@link neighborLine}).
 */
export async function setLinkState(
  router: RouterPlace,
  options: { interfaceName: string; state: 'up' | 'down' },
): Promise<boolean> {
  const directory = `${router.sysDirectory}/class/net/${options.interfaceName}`
  const file = `${directory}/flags`
  const present = await readIfExists(file)
  if (present === undefined) return false
  const flags = Number.parseInt(present, 16)
  await writeFile(file, `0x${(options.state === 'up' ? flags | upFlag : flags & ~upFlag).toString(16)}`)
  if (options.state === 'up') await untilConnected(directory)
  return true
}

async function untilConnected(directory: string): Promise<void> {
  const waitingSince = performance.now()
  const state = () => readFile(`${directory}/operstate`, 'utf8')
  while ((await state()).trim() !== 'up' && performance.now() - waitingSince < connectedWithinMs) {
    await delay(checkAgainMs)
  }
}

/** The number of packets that passed the router’s end in both directions; undefined if the interface does not exist. */
export async function countPackets(router: RouterPlace, interfaceName: string): Promise<number | undefined> {
  const directory = `${router.sysDirectory}/class/net/${interfaceName}/statistics`
  const counters = ['rx_packets', 'tx_packets'].map((name) => `${directory}/${name}`)
  const texts = await Promise.all(counters.map(readIfExists))
  return texts.includes(undefined) ? undefined : texts.reduce((total, text) => total + Number(text), 0)
}

async function readIfExists(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** The ID of the sandbox that a link was completed for; undefined if it is incomplete or does not exist. */
export async function readAlias(router: RouterPlace, interfaceName: string): Promise<string | undefined> {
  return (await readIfExists(aliasFile(router, interfaceName)))?.trim() || undefined
}

export type LinkTraces = Pick<LinkPlan, 'interfaceName' | 'namespaceName'>

/** Removes pairs and namespaces, as far as they exist. */
export async function removeLinks(router: RouterPlace, traces: readonly LinkTraces[]): Promise<void> {
  const [interfaces, namespaces]: [string[], string[]] = [[], []]
  for (const { interfaceName, namespaceName } of traces) {
    if (await exists(`${router.sysDirectory}/class/net/${interfaceName}`)) interfaces.push(interfaceName)
    if (await exists(namespacePathOf(namespaceName))) namespaces.push(namespaceName)
  }
  const deletions = interfaces.map((name) => `link delete ${name}`)
  if (deletions.length > 0) await ipBatch(deletions, router)
  if (namespaces.length > 0) await ipBatch(namespaces.map((name) => `netns delete ${name}`))
}

/** Without `router`, an interface of the machine itself. */
export async function removeInterface(interfaceName: string, router?: RouterPlace): Promise<void> {
  const isPresent = await (router === undefined
    ? isOnMachine(interfaceName)
    : exists(`${router.sysDirectory}/class/net/${interfaceName}`))
  if (isPresent) await ipBatch([`link delete ${interfaceName}`], router)
}

/** Whether the namespace of this process has the interface; `/sys` can show those of another one. */
export async function isOnMachine(interfaceName: string): Promise<boolean> {
  return (await readFile('/proc/self/net/dev', 'utf8')).includes(`${interfaceName}:`)
}

export async function removeNamespace(namespaceName: string): Promise<void> {
  if (await exists(namespacePathOf(namespaceName))) await runCommand(['ip', 'netns', 'delete', namespaceName])
}

export function namespacePathOf(namespaceName: string): string {
  return join(namespaceDirectory, namespaceName)
}

const linkSchema = z.array(
  z.object({
    ifname: z.string(),
    ifalias: z.string().optional(),
    mtu: z.number(),
    flags: z.array(z.string()).default([]),
    addr_info: z
      .array(
        z.object({
          family: z.string().optional(),
          local: z.string().optional(),
          prefixlen: z.number().optional(),
          label: z.string().optional(),
        }),
      )
      .default([]),
  }),
)

/** Links of this installation, complete or not: in the router, or without one those that are in the machine’s namespace. */
export async function listLinks(names: NetworkNames, router?: RouterPlace): Promise<RouterLink[]> {
  const listing = await runCommand(['ip', ...namespaceOption(router), '-json', '-details', 'addr', 'show'])
  const links = linkSchema.parse(JSON.parse(listing))
  return links
    .filter(({ ifname }) => ifname.startsWith(names.interfacePrefix) && ifname !== names.uplinkInterface)
    .map((link) => ({
      interfaceName: link.ifname,
      isUp: link.flags.includes('UP'),
      sandboxId: link.ifalias,
      gatewayAddress: link.addr_info.find((address) => address.family === 'inet')?.local,
      mtu: link.mtu,
    }))
}

/** Namespaces of this installation, complete or not. */
export async function listNamespaces(names: NetworkNames): Promise<string[]> {
  const found = await readdir(namespaceDirectory).catch(() => [])
  return found.filter((name) => name.startsWith(names.namespacePrefix))
}

/** IPv4 addresses on the loopback interface, with the label of their purpose. */
export async function listLoopbackAddresses(): Promise<{ range: Ipv4Range; label: string | undefined }[]> {
  const links = linkSchema.parse(JSON.parse(await runCommand(['ip', '-4', '-json', 'addr', 'show', 'dev', 'lo'])))
  return links.flatMap(({ addr_info }) =>
    addr_info.flatMap(({ local, prefixlen, label }) => {
      const range = parseIpv4Range(`${local}/${prefixlen}`)
      return range === undefined ? [] : [{ range, label }]
    }),
  )
}

const routeSchema = z.array(z.object({ dst: z.string(), dev: z.string().optional(), type: z.string().optional() }))

export type Route = { range: Ipv4Range; device: string | undefined; isUnreachable: boolean }

/** Every IPv4 route except the default ones. */
export async function listRoutes(): Promise<Route[]> {
  const output = await runCommand(['ip', '-4', '-json', '-details', 'route', 'show', 'table', 'all'])
  return routeSchema.parse(JSON.parse(output)).flatMap((route) => {
    const range = parseIpv4Range(route.dst.includes('/') ? route.dst : `${route.dst}/32`)
    if (range === undefined || range.prefixLength === 0) return []
    return [{ range, device: route.dev, isUnreachable: route.type === 'unreachable' }]
  })
}

/** The MTU of the uplink: a larger packet from a sandbox would be lost there. */
export async function readUplinkMtu(): Promise<number> {
  const routes = routeSchema.parse(JSON.parse(await runCommand(['ip', '-4', '-json', 'route', 'show', 'default'])))
  const device = routes[0]?.dev
  if (device === undefined) return ethernetMtu
  const links = linkSchema.parse(JSON.parse(await runCommand(['ip', '-json', 'addr', 'show', 'dev', device])))
  return Math.min(ethernetMtu, links[0]?.mtu ?? ethernetMtu)
}

const ethernetMtu = 1500
const withoutIpv6 = ['net.ipv6.conf.all.disable_ipv6=1', 'net.ipv6.conf.default.disable_ipv6=1']

/** Runs commands of `ip`, in the router’s namespace or in the machine’s. */
export async function ipBatch(lines: string[], router?: Pick<RouterPlace, 'namespaceName'>): Promise<void> {
  await runCommand(['ip', ...namespaceOption(router), '-batch', '-'], { input: `${lines.join('\n')}\n` })
}

function namespaceOption(router: Pick<RouterPlace, 'namespaceName'> | undefined): string[] {
  return router === undefined ? [] : ['-n', router.namespaceName]
}

/** NSFS_MAGIC of linux/magic.h. */
const namespaceType = 0x6e736673

/** Whether the path is a namespace’s. A file of its name can be left by another mount namespace. */
export async function isNamespace(path: string): Promise<boolean> {
  return await statfs(path).then(
    ({ type }) => type === namespaceType,
    () => false,
  )
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

import { access, readdir, readFile, writeFile } from 'node:fs/promises'
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

/** Creates namespace and pair, still down. Neither end ever has IPv6: the router’s namespace has none. */
export async function createLink(router: RouterPlace, plan: LinkPlan): Promise<void> {
  const { interfaceName, namespaceName, mtu } = plan
  await runCommand(['ip', 'netns', 'add', namespaceName])
  await inside(namespaceName, ['sysctl', '-qew', ...withoutIpv6])
  await ipBatch(
    [`link add ${interfaceName} mtu ${mtu} type veth peer name ${insideName} mtu ${mtu} netns ${namespaceName}`],
    router,
  )
}

/** Assigns addresses to both ends and brings them up; the alias is set last and marks the link as complete. */
export async function raiseLink(router: RouterPlace, plan: LinkPlan): Promise<void> {
  const { interfaceName, gatewayAddress, sandboxId } = plan
  await ipBatch([`addr replace ${gatewayAddress}/30 dev ${interfaceName}`, `link set ${interfaceName} up`], router)
  await addressInside(plan)
  await ipBatch([`link set ${interfaceName} alias ${sandboxId}`], router)
}

/** Restores the addresses and routes that runsc removes from the namespace when it starts. */
export async function addressInside(plan: { namespaceName: string; address: string; gatewayAddress: string }) {
  const { namespaceName, address, gatewayAddress } = plan
  await runCommand(['ip', '-n', namespaceName, '-batch', '-'], {
    input: [
      'link set lo up',
      `addr replace ${address}/30 dev ${insideName}`,
      `link set ${insideName} up`,
      `route replace default via ${gatewayAddress} dev ${insideName}`,
      '',
    ].join('\n'),
  })
}

/** IFF_UP of linux/if.h. */
const upFlag = 0x1

/** A raised pair is connected within a millisecond, unless namespaces are being removed at the same time. */
const connectedWithinMs = 1000
const checkAgainMs = 1

/**
 * Brings the router’s end up or down through the kernel’s own file: a wake waits for it, and a program would take longer
 * than everything else. False if the interface does not exist. A packet sent before the kernel has connected the other
 * end, which takes a moment, is lost and repeated only after a whole second: so this waits for the connection.
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

/** Removes pair and namespace, as far as they exist. */
export async function removeLink(
  router: RouterPlace,
  options: { interfaceName: string; namespaceName: string },
): Promise<void> {
  await removeInterface(options.interfaceName, router)
  await removeNamespace(options.namespaceName)
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

async function inside(namespaceName: string, command: [string, ...string[]]): Promise<void> {
  await runCommand(['ip', 'netns', 'exec', namespaceName, ...command])
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

import { access, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { type Ipv4Range, parseRange } from './ipv4.logic.ts'
import type { NetworkNames } from './names.logic.ts'
import { runCommand } from './run-command.ts'

const namespaceDirectory = '/run/netns'
/** The name of the interface inside of a sandbox. */
const insideName = 'eth0'

/** One sandbox's namespace and veth pair. */
export type LinkPlan = {
  sandboxId: string
  interfaceName: string
  namespaceName: string
  address: string
  gatewayAddress: string
  mtu: number
}

export type HostLink = {
  interfaceName: string
  /** The sandbox that it was made for; undefined if it is incomplete. */
  sandboxId: string | undefined
  gatewayAddress: string | undefined
  mtu: number
}

/** Creates namespace and pair, still down. IPv6 is disabled on both ends before either can have an address. */
export async function createLink(plan: LinkPlan): Promise<void> {
  const { interfaceName, namespaceName, mtu } = plan
  await runCommand(['ip', 'netns', 'add', namespaceName])
  await inside(namespaceName, ['sysctl', '-qew', ...withoutIpv6])
  await ipBatch([
    `link add ${interfaceName} mtu ${mtu} type veth peer name ${insideName} mtu ${mtu} netns ${namespaceName}`,
  ])
  await setKernelOptions(interfaceName)
}

/** Assigns addresses to both ends and brings them up; the alias is set last and marks the link as complete. */
export async function raiseLink(plan: LinkPlan): Promise<void> {
  const { interfaceName, gatewayAddress, sandboxId } = plan
  await ipBatch([`addr replace ${gatewayAddress}/30 dev ${interfaceName}`, `link set ${interfaceName} up`])
  await addressInside(plan)
  await runCommand(['ip', 'link', 'set', interfaceName, 'alias', sandboxId])
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
 * Brings the host’s end up or down through the kernel’s own file: a wake waits for it, and a program would take longer
 * than everything else. False if the interface does not exist. A packet sent before the kernel has connected the other
 * end, which takes a moment, is lost and repeated only after a whole second: so this waits for the connection.
 */
export async function setLinkState(options: { interfaceName: string; state: 'up' | 'down' }): Promise<boolean> {
  const file = `/sys/class/net/${options.interfaceName}/flags`
  const present = await readIfExists(file)
  if (present === undefined) return false
  const flags = Number.parseInt(present, 16)
  await writeFile(file, `0x${(options.state === 'up' ? flags | upFlag : flags & ~upFlag).toString(16)}`)
  if (options.state === 'up') await untilConnected(options.interfaceName)
  return true
}

async function untilConnected(interfaceName: string): Promise<void> {
  const waitingSince = performance.now()
  const state = () => readFile(`/sys/class/net/${interfaceName}/operstate`, 'utf8')
  while ((await state()).trim() !== 'up' && performance.now() - waitingSince < connectedWithinMs) {
    await delay(checkAgainMs)
  }
}

/** The number of packets that passed the host’s end in both directions; undefined if the interface does not exist. */
export async function countPackets(interfaceName: string): Promise<number | undefined> {
  const counters = ['rx_packets', 'tx_packets'].map((name) => `/sys/class/net/${interfaceName}/statistics/${name}`)
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
export async function removeLink(options: { interfaceName: string; namespaceName: string }): Promise<void> {
  await removeInterface(options.interfaceName)
  await removeNamespace(options.namespaceName)
}

export async function removeInterface(interfaceName: string): Promise<void> {
  if (await exists(`/sys/class/net/${interfaceName}`)) await runCommand(['ip', 'link', 'delete', interfaceName])
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

/** Links of this installation, complete or not. */
export async function listLinks(names: NetworkNames): Promise<HostLink[]> {
  const links = linkSchema.parse(JSON.parse(await runCommand(['ip', '-json', '-details', 'addr', 'show'])))
  return links
    .filter((link) => link.ifname.startsWith(names.interfacePrefix))
    .map((link) => ({
      interfaceName: link.ifname,
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
      const range = parseRange(`${local}/${prefixlen}`)
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
    const range = parseRange(route.dst.includes('/') ? route.dst : `${route.dst}/32`)
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

export async function ipBatch(lines: string[]): Promise<void> {
  await runCommand(['ip', '-batch', '-'], { input: `${lines.join('\n')}\n` })
}

async function inside(namespaceName: string, command: [string, ...string[]]): Promise<void> {
  await runCommand(['ip', 'netns', 'exec', namespaceName, ...command])
}

/** The host replies to ARP only for the gateway address on this link, and sends and accepts no redirects. */
async function setKernelOptions(interfaceName: string): Promise<void> {
  const options: [string, string][] = [
    [`/proc/sys/net/ipv6/conf/${interfaceName}/disable_ipv6`, '1'],
    [`/proc/sys/net/ipv4/conf/${interfaceName}/arp_ignore`, '1'],
    [`/proc/sys/net/ipv4/conf/${interfaceName}/send_redirects`, '0'],
    [`/proc/sys/net/ipv4/conf/${interfaceName}/accept_redirects`, '0'],
    [`/proc/sys/net/ipv4/conf/${interfaceName}/rp_filter`, '1'],
  ]
  for (const [path, value] of options) if (await exists(path)) await writeFile(path, value)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { type AddressPool, virtualRangeOf } from './address-pool.logic.ts'
import {
  exists,
  ipBatch,
  isNamespace,
  isOnMachine,
  namespacePathOf,
  type RouterPlace,
  removeInterface,
  removeNamespace,
} from './links.ts'
import { type NetworkNames, uplinkName } from './names.logic.ts'
import { runCommand } from './run-command.ts'

/**
 * Kernel options of the router’s namespace; interfaces that are created later have the defaults. It replies to ARP only for
 * the address of the link that it was asked on, and sends and accepts no redirects.
 */
const kernelOptions = [
  'net.ipv4.ip_forward=1',
  // The processes in it have no capability, and listen on ports such as 53 and 443.
  'net.ipv4.ip_unprivileged_port_start=0',
  // Sends each refusal: by default a client gets six, and waits seconds for the reply to what it asks after them.
  'net.ipv4.icmp_ratelimit=0',
  // A sandbox that is paused for hours gets what the relay has for it.
  'net.ipv4.tcp_retries2=255',
  'net.ipv6.conf.all.disable_ipv6=1',
  'net.ipv6.conf.default.disable_ipv6=1',
  ...['all', 'default'].flatMap((scope) => [
    `net.ipv4.conf.${scope}.arp_ignore=1`,
    `net.ipv4.conf.${scope}.send_redirects=0`,
    `net.ipv4.conf.${scope}.accept_redirects=0`,
    `net.ipv4.conf.${scope}.rp_filter=1`,
  ]),
]

export function routerPlaceOf(names: NetworkNames): RouterPlace {
  return { namespaceName: names.routerNamespace, sysDirectory: `/run/threadbox/${names.routerNamespace}` }
}

/** Runs a program in the router’s namespace. */
export function inRouter(
  { namespaceName }: Pick<RouterPlace, 'namespaceName'>,
  command: readonly [program: string, ...args: string[]],
): [string, ...string[]] {
  return ['nsenter', `--net=${namespacePathOf(namespaceName)}`, '--', ...command]
}

/**
 * Creates the router: a namespace between the machine and all sandboxes of an installation. Rules in it are out of reach
 * of programs that change the machine’s rules, and without it no packet of a sandbox leaves. Changes nothing that exists,
 * so sandboxes stay connected. Its `/sys` is mounted, because that of this process shows only the machine’s interfaces.
 */
export async function prepareRouter(options: { pool: AddressPool; names: NetworkNames }): Promise<RouterPlace> {
  const { pool, names } = options
  const router = routerPlaceOf(names)
  if (!(await hasRouter(names))) {
    await removeNamespace(router.namespaceName)
    await runCommand(['ip', 'netns', 'add', router.namespaceName])
  }
  await runCommand(inRouter(router, ['sysctl', '-qew', ...kernelOptions]))
  await mountSys(router)
  await prepareUplink({ pool, names, router })
  return router
}

async function mountSys(router: RouterPlace): Promise<void> {
  await unmountSys(router)
  await mkdir(router.sysDirectory, { recursive: true, mode: 0o700 })
  const flags = ['-t', 'sysfs', '-o', 'nosuid,nodev,noexec']
  await runCommand(inRouter(router, ['mount', ...flags, 'sysfs', router.sysDirectory]))
}

async function unmountSys({ sysDirectory }: RouterPlace): Promise<void> {
  // One that shows a namespace of an earlier router must not stay.
  while (await exists(`${sysDirectory}/class`)) await runCommand(['umount', '--lazy', sysDirectory])
}

async function prepareUplink(options: { pool: AddressPool; names: NetworkNames; router: RouterPlace }): Promise<void> {
  const { pool, names, router } = options
  const { uplinkInterface } = names
  const isWhole =
    (await isOnMachine(uplinkInterface)) && (await exists(`${router.sysDirectory}/class/net/${uplinkName}`))
  if (!isWhole) {
    await removeInterface(uplinkInterface)
    await removeInterface(uplinkName, router)
    await ipBatch([`link add ${uplinkInterface} type veth peer name ${uplinkName} netns ${router.namespaceName}`])
  }
  await setMachineOptions(uplinkInterface)
  await ipBatch([`addr replace ${pool.machineAddress}/31 dev ${uplinkInterface}`, `link set ${uplinkInterface} up`])
  await ipBatch(
    [
      'link set lo up',
      `addr replace ${pool.routerAddress}/31 dev ${uplinkName}`,
      `link set ${uplinkName} up`,
      `route replace default via ${pool.machineAddress} dev ${uplinkName}`,
      `route replace local ${virtualRangeOf(pool)} dev lo`,
    ],
    router,
  )
}

async function setMachineOptions(interfaceName: string): Promise<void> {
  const options: [string, string][] = [
    [`/proc/sys/net/ipv6/conf/${interfaceName}/disable_ipv6`, '1'],
    [`/proc/sys/net/ipv4/conf/${interfaceName}/send_redirects`, '0'],
    [`/proc/sys/net/ipv4/conf/${interfaceName}/accept_redirects`, '0'],
  ]
  for (const [path, value] of options) if (await exists(path)) await writeFile(path, value)
}

/** Removes the router with every interface that is still in it. Does nothing if it does not exist. */
export async function removeRouter(names: NetworkNames): Promise<void> {
  const router = routerPlaceOf(names)
  await removeInterface(names.uplinkInterface)
  await unmountSys(router)
  if (await exists(router.sysDirectory)) await rmdir(router.sysDirectory)
  await removeNamespace(router.namespaceName)
}

/** Whether the router exists. */
export async function hasRouter(names: NetworkNames): Promise<boolean> {
  return await isNamespace(namespacePathOf(names.routerNamespace))
}

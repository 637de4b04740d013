import { z } from 'zod'
import { describeMachineNetwork, type MachineNetwork } from './machine-network.logic.ts'
import { makeNetworkNames } from './names.logic.ts'
import { inRouter, routerPlaceOf } from './router.ts'
import { runCommand } from './run-command.ts'

const interfacesSchema = z.array(
  z.object({
    ifname: z.string(),
    flags: z.array(z.string()),
    addr_info: z.array(
      z.object({
        family: z.string().optional(),
        local: z.string().optional(),
        address: z.string().optional(),
        prefixlen: z.number().optional(),
      }),
    ),
  }),
)
const routesSchema = z.array(
  z.object({
    dst: z.string(),
    type: z.string().optional(),
    dev: z.string().optional(),
    gateway: z.string().optional(),
    nexthops: z.array(z.object({ gateway: z.string().optional() })).optional(),
  }),
)

/** Reads the machine’s own network from the kernel, from all routing tables. */
export async function readMachineNetwork(): Promise<MachineNetwork> {
  // Filtered by `ip`: a router has a million other routes.
  const [interfaces, localRoutes, linkRoutes, defaultRoutes] = await Promise.all([
    runCommand(['ip', '-json', 'address']).then((output) => interfacesSchema.parse(JSON.parse(output))),
    readRoutes('type', 'local'),
    readRoutes('scope', 'link'),
    readRoutes('exact', 'default'),
  ])
  return describeMachineNetwork({ interfaces, localRoutes, linkRoutes, defaultRoutes })
}

async function readRoutes(...selector: string[]) {
  return routesSchema.parse(
    JSON.parse(await runCommand(['ip', '-4', '-json', 'route', 'show', 'table', 'all', ...selector])),
  )
}

/**
 * Addresses and prefixes of the machine that sandboxes of an installation can reach, because the firewall was not
 * updated. Empty unless updates failed. Changes nothing.
 */
export async function findUndenied(installation: string): Promise<string[]> {
  const names = makeNetworkNames(installation)
  const { table } = names
  const { addresses, links } = await readMachineNetwork()
  const isDenied = async (set: string, element: string) =>
    runCommand(inRouter(routerPlaceOf(names), ['nft', 'get', 'element', 'inet', table, set, `{ ${element} }`])).then(
      () => true,
      () => false,
    )
  const wanted = [
    ...addresses.map((element) => ({ set: 'machine_addresses', element })),
    ...links.map((element) => ({ set: 'machine_links', element })),
  ]
  const denied = await Promise.all(wanted.map(({ set, element }) => isDenied(set, element)))
  return wanted.filter((_, index) => !denied[index]).map(({ element }) => element)
}

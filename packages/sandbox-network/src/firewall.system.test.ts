import { execFileSync } from 'node:child_process'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeAddressPool } from './address-pool.logic.ts'
import { defaultFirewallSettings } from './firewall.logic.ts'
import { type Firewall, makeFirewall } from './firewall.ts'
import { makeNetworkNames } from './names.logic.ts'
import { prepareRouter, removeRouter } from './router.ts'

const names = makeNetworkNames('tfire0')
const pool = makeAddressPool('198.18.252.0/28')
const [address = ''] = pool.addresses()
const interfaceName = names.interfaceOf('one')
const entry = { interfaceName, address, gatewayAddress: pool.gatewayOf(address) }
let firewall: Firewall
let mark = 0

beforeEach(async () => {
  const logger = makeLogger({ process: 'test', level: 'silent' })
  const router = await prepareRouter({ names, pool })
  const settings = defaultFirewallSettings
  const [randomMark, machineChanged] = [() => ++mark, () => undefined]
  firewall = makeFirewall({ names, router, pool, settings, logger, randomMark, machineChanged })
  await firewall.install()
})
afterEach(async () => {
  await firewall.forget()
  await removeRouter(names)
})

/** Removes the router’s table, which no program does that manages the machine’s rules. */
function removeByHand(): void {
  execFileSync('ip', ['netns', 'exec', names.routerNamespace, 'nft', 'delete', 'table', 'inet', names.table])
}

function egressInKernel(): string {
  return execFileSync(
    'ip',
    ['netns', 'exec', names.routerNamespace, 'nft', 'list', 'map', 'inet', names.table, 'egress'],
    { encoding: 'utf8' },
  )
}

test('G2: a changed egress applies although the firewall was missing, and the firewall is restored', async () => {
  await firewall.add({ ...entry, egress: 'open', isRelayed: false })
  removeByHand()
  await firewall.setEgress({ interfaceName, egress: 'none', isRelayed: false })
  expect(egressInKernel()).toContain(`"${interfaceName}" : jump egress_none`)
  removeByHand()
  await firewall.setEgress({ interfaceName, egress: 'allowlist', isRelayed: true })
  expect(egressInKernel()).toContain(`"${interfaceName}" : jump egress_allowlist`)
})

test('G2: a sandbox that is attached again with another egress is behind the firewall although it was missing', async () => {
  await firewall.add({ ...entry, egress: 'open', isRelayed: false })
  removeByHand()
  await firewall.add({ ...entry, egress: 'none', isRelayed: false })
  expect(egressInKernel()).toContain(`"${interfaceName}" : jump egress_none`)
  removeByHand()
  await firewall.remove(interfaceName)
  expect(egressInKernel()).not.toContain(interfaceName)
  expect(firewall.known()).toEqual([])
})

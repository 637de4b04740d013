import { expect, test } from 'vitest'
import { describeMachineNetwork, type MachineInterface, type MachineRoute } from './machine-network.logic.ts'

const lo = { ifname: 'lo', flags: ['LOOPBACK'], addr_info: [{ family: 'inet', local: '127.0.0.1', prefixlen: 8 }] }

test('G2: routes that cover the internet are not denied: on-link defaults, short prefixes, tunnels', () => {
  const tunnel = { ifname: 'wg0', flags: ['POINTOPOINT', 'NOARP'], addr_info: [] }
  const linkRoutes = [
    { dst: 'default', dev: 'eth0' },
    { dst: '128.0.0.0/1', dev: 'eth0' },
    { dst: '12.0.0.0/8', dev: 'wg0' },
  ]
  expect(describe({ interfaces: [lo, tunnel, withAddress('8.8.4.1', 0)], linkRoutes })).toEqual({
    addresses: ['8.8.4.1'],
    links: [],
  })
})

test('G2: a host with a /32 address has its gateway denied, also one of several', () => {
  const interfaces = [lo, withAddress('198.51.100.9', 32)]
  const linkRoutes = [{ dst: '203.0.113.1', dev: 'eth0' }]
  const defaultRoutes = [
    { dst: 'default', gateway: '203.0.113.1' },
    { dst: 'default', nexthops: [{ gateway: '203.0.113.2' }] },
  ]
  expect(describe({ interfaces, linkRoutes, defaultRoutes }).links).toEqual([
    '198.51.100.9',
    '203.0.113.1',
    '203.0.113.2',
  ])
})

test('G2: the prefix of an address, the peer of a link and local ranges are denied; of private networks only the machine’s own addresses and gateways', () => {
  const peer = { family: 'inet', local: '198.51.100.200', address: '198.51.100.201', prefixlen: 32 }
  const interfaces = [
    lo,
    withAddress('203.0.113.77', 26),
    withAddress('10.1.2.3', 24),
    { ifname: 'ppp0', flags: ['POINTOPOINT', 'NOARP'], addr_info: [peer, { family: 'inet6', local: '2001:db8::1' }] },
  ]
  const localRoutes = [{ dst: '198.51.100.0/28', type: 'local', dev: 'lo' }]
  const linkRoutes = [{ dst: '203.0.113.127', type: 'broadcast', dev: 'eth0' }]
  const defaultRoutes = [{ dst: 'default', gateway: '10.1.2.1' }]
  expect(describe({ interfaces, localRoutes, linkRoutes, defaultRoutes })).toEqual({
    addresses: ['10.1.2.3', '198.51.100.0/28', '198.51.100.200', '203.0.113.77'],
    links: ['10.1.2.1', '198.51.100.201', '203.0.113.64/26'],
  })
})

function withAddress(local: string, prefixlen: number): MachineInterface {
  return { ifname: 'eth0', flags: ['BROADCAST'], addr_info: [{ family: 'inet', local, prefixlen }] }
}

function describe(options: {
  interfaces: readonly MachineInterface[]
  localRoutes?: readonly MachineRoute[]
  linkRoutes?: readonly MachineRoute[]
  defaultRoutes?: readonly MachineRoute[]
}) {
  const { interfaces, localRoutes = [], linkRoutes = [], defaultRoutes = [] } = options
  return describeMachineNetwork({ interfaces, localRoutes, linkRoutes, defaultRoutes })
}

import { formatIpv4, overlapsIpv4, parseIpv4, parseIpv4Range } from '@threadbox/domain'
import { describe, expect, test } from 'vitest'
import { chooseAddressPool, firstFreeAddress, makeAddressPool } from './address-pool.logic.ts'
import { isPrivateAddress } from './private-ranges.logic.ts'

describe('an address pool', () => {
  test.each([
    ['100.64.0.0/16', 'belongs to Tailscale'],
    ['8.8.0.0/16', 'aren’t private'],
    ['10.0.0.1/16', 'not written as'],
    ['10.0.0.0', 'not written as'],
    ['10.0.0.0/33', 'not written as'],
    ['010.0.0.0/16', 'not written as'],
    ['10.0.0.0/29', 'shorter than 8 or longer than 28'],
    ['192.168.0.0/7', 'not written as'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => makeAddressPool(text)).toThrow(reason)
  })

  test('assigns each sandbox its own block of four and keeps the first for the installation', () => {
    const pool = makeAddressPool('10.201.0.0/28')
    expect([...pool.addresses()]).toEqual(['10.201.0.6', '10.201.0.10', '10.201.0.14'])
    expect(pool.gatewayOf('10.201.0.6')).toBe('10.201.0.5')
    expect(pool).toMatchObject({
      claimAddress: '10.201.0.1',
      machineAddress: '10.201.0.2',
      routerAddress: '10.201.0.3',
    })
  })

  test.each(['10.201.0.2', '10.201.0.5', '10.201.0.7', '10.202.0.6', '10.201.0.18', 'x', ''])(
    '%j is not an address of a sandbox',
    (address) => {
      expect(() => makeAddressPool('10.201.0.0/28').gatewayOf(address)).toThrow(/is not a valid sandbox address/)
    },
  )

  test('reports when every address is taken', () => {
    const pool = makeAddressPool('10.201.0.0/28')
    const taken = new Set(pool.addresses())
    expect(() => firstFreeAddress({ addresses: pool.addresses(), taken, pool: pool.text })).toThrow(
      /All addresses in the range/,
    )
    taken.delete('10.201.0.10')
    expect(firstFreeAddress({ addresses: pool.addresses(), taken, pool: pool.text })).toBe('10.201.0.10')
  })

  test('is chosen so that it overlapsIpv4 no route of the host', () => {
    const first = chooseAddressPool({ routes: [] })
    const second = chooseAddressPool({ routes: [parseIpv4Range(first)!] })
    expect(overlapsIpv4(parseIpv4Range(first)!, parseIpv4Range(second)!)).toBe(false)
    const others = ['198.18.0.0/15', '172.16.0.0/12'].map((text) => parseIpv4Range(text)!)
    expect(chooseAddressPool({ routes: others })).toBe('10.201.0.0/18')
    expect(() => chooseAddressPool({ routes: [...others, parseIpv4Range('10.0.0.0/8')!] })).toThrow(/routes to all/)
  })

  test('every range that can be chosen is a usable pool', () => {
    const routes: string[] = []
    for (;;) {
      try {
        routes.push(chooseAddressPool({ routes: routes.map((text) => parseIpv4Range(text)!) }))
      } catch {
        break
      }
    }
    expect(routes).toHaveLength(16)
    for (const text of routes) expect([...makeAddressPool(text).addresses()]).toHaveLength(4095)
  })
})

describe('IPv4 addresses', () => {
  test.each(['0.0.0.0', '198.18.255.1', '255.255.255.255'])('%s reads and writes the same', (text) => {
    expect(formatIpv4(parseIpv4(text)!)).toBe(text)
  })
  test.each(['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 ', '::1', '1.2.3.-4', ''])(
    '%j is none',
    (text) => {
      expect(parseIpv4(text)).toBeUndefined()
    },
  )
  test.each([
    ['169.254.169.254', true],
    ['10.255.255.53', true],
    ['100.100.100.200', true],
    ['172.32.0.1', false],
    ['192.0.0.192', true],
    ['127.0.0.53', true],
    ['0.0.0.0', true],
    ['255.255.255.255', true],
    ['1.1.1.1', false],
    ['203.0.113.80', false],
    ['not an address', true],
    ['::ffff:10.0.0.1', true],
  ])('G2: %s counts as private: %s', (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected)
  })
})

import { expect, test } from 'vitest'
import { allowedPrivateAddresses } from './network-policy.ts'
import { isGrantedAddress, parsePrivateAddress, rangesOf } from './private-address.ts'

const good = { name: 'git.corp.example', port: 443, range: '10.1.2.0/24' }
const problemOf = (part: object) => {
  const parsed = parsePrivateAddress({ ...good, ...part })
  return 'problem' in parsed ? parsed.problem : parsed
}

test.each([
  '',
  'a',
  `${'a.'.repeat(126)}org`,
  'a'.repeat(1_000_000),
  '*',
  '*.com',
  '*.corp.example',
  '..',
  '0x7f.1',
  '::ffff:10.0.0.1',
  '10.1.2.3',
  'git.corp.example:443',
])('G2: the name %j is refused', (name) => expect(problemOf({ name })).toBe('name'))

test.each([0, 65_536, -1, 4.5, Number.NaN, 25, 53, 465, 587])('G2: port %s is refused', (port) =>
  expect(problemOf({ port })).toBe('port'),
)

test.each([
  ['', 'range'],
  ['0x7f.1', 'range'],
  ['0x0a.1.2.3', 'range'],
  ['::ffff:10.0.0.1', 'range'],
  ['::ffff:10.0.0.0/120', 'range'],
  ['::/0', 'range'],
  ['fd00::/64', 'range'],
  ['10.1.2.3/24', 'range'],
  ['10.1.2.0/33', 'range'],
  ['10.1.2.0/24/24', 'range'],
  ['010.1.2.0/24', 'range'],
  ['10.1.2', 'range'],
  ['10.1.2.0-10.1.2.9', 'range'],
  ['0.0.0.0/0', 'range-too-wide'],
  ['10.0.0.0/8', 'range-too-wide'],
  ['10.0.0.0/15', 'range-too-wide'],
  ['8.8.8.0/24', 'range-refused'],
  ['0.0.0.0/32', 'range-refused'],
  ['127.0.0.1', 'range-refused'],
  ['127.0.0.0/16', 'range-refused'],
  ['169.254.169.254', 'range-refused'],
  ['169.254.0.0/16', 'range-refused'],
  ['168.63.129.16', 'range-refused'],
  ['192.0.0.192/32', 'range-refused'],
  ['198.18.0.0/16', 'range-refused'],
  ['198.19.0.0/18', 'range-refused'],
  ['224.0.0.0/16', 'range-refused'],
  ['255.255.255.255', 'range-refused'],
])('G2: the range %s is refused: %s', (range, problem) => expect(problemOf({ range })).toBe(problem))

test.each([
  [good, good],
  [
    { name: ' GIT.Corp.example. ', port: 22, range: ' 192.168.7.20 ' },
    { name: 'git.corp.example', port: 22, range: '192.168.7.20/32' },
  ],
  [
    { name: 'vpn.例え.example', port: 65_535, range: '100.64.0.0/16' },
    { name: 'vpn.xn--r8jz45g.example', port: 65_535, range: '100.64.0.0/16' },
  ],
])('an entry is stored in one form', (entry, stored) => expect(parsePrivateAddress(entry)).toEqual(stored))

test.each([
  ['10.1.2.0', true],
  ['10.1.2.255', true],
  ['10.1.3.0', false],
  ['10.1.1.255', false],
  ['8.8.8.8', false],
  ['::ffff:10.1.2.3', false],
  ['0x0a.1.2.3', false],
  ['10.1.2.03', false],
  ['10.1.2.3/24', false],
  ['', false],
])('G2: the address %s is in 10.1.2.0/24: %s', (address, expected) => {
  expect(isGrantedAddress(address, ['192.168.0.0/24', '10.1.2.0/24'])).toBe(expected)
})

test('G2: an address that no entry can have is in no range', () => {
  for (const address of ['127.0.0.1', '169.254.169.254', '198.18.0.6', '8.8.8.8']) {
    expect(isGrantedAddress(address, ['0.0.0.0/0'])).toBe(false)
  }
  expect(isGrantedAddress('10.1.2.3', [])).toBe(false)
})

test('a name has ranges at its own port only', () => {
  const list = [good, { ...good, range: '10.9.0.0/24' }, { ...good, port: 22, range: '10.8.0.0/24' }]
  expect(rangesOf(list, { name: good.name, port: 443 })).toEqual(['10.1.2.0/24', '10.9.0.0/24'])
  expect(rangesOf(list, { name: good.name, port: 80 })).toEqual([])
  expect(rangesOf(list, { name: 'a.git.corp.example', port: 443 })).toEqual([])
})

test('G2: a policy allows listed services that it names at their port; open allows all, and none no service', () => {
  const ssh = { ...good, port: 22 }
  const allowed = (names: string[]) => allowedPrivateAddresses({ kind: 'allowlist', names }, [good, ssh])
  expect(allowed(['git.corp.example'])).toEqual([good])
  expect(allowed(['git.corp.example:22'])).toEqual([ssh])
  expect(allowed(['*.corp.example', 'git.corp.example:22'])).toEqual([good, ssh])
  expect(allowed(['corp.example'])).toEqual([])
  expect(allowedPrivateAddresses({ kind: 'open' }, [good, ssh])).toEqual([good, ssh])
  expect(allowedPrivateAddresses({ kind: 'none' }, [good, ssh])).toEqual([])
})

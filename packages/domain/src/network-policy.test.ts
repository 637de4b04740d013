import { expect, test } from 'vitest'
import { parseNetworkEntry, parseNetworkName } from './network-name.ts'
import {
  allowsName,
  effectiveNetwork,
  isWithinNetwork,
  type LeveledPolicy,
  type NetworkPolicy,
  narrowerNetwork,
  widensNetwork,
} from './network-policy.ts'
import { networkPresets } from './network-presets.ts'

const open = { kind: 'open' } as const
const none = { kind: 'none' } as const
const list = (...names: string[]) => ({ kind: 'allowlist', names, presets: [] }) as const
const only = (...names: string[]) => ({ kind: 'allowlist', names }) as const

test.each([
  ['', 'empty'],
  ['  ', 'empty'],
  ['.', 'form'],
  ['a', 'form'],
  ['localhost', 'form'],
  ['..', 'form'],
  ['a..b', 'form'],
  ['.example.org', 'form'],
  ['example.org..', 'form'],
  ['*', 'too-wide'],
  ['*.com', 'too-wide'],
  ['*.com.', 'too-wide'],
  ['*.*.example.org', 'form'],
  ['a.*.example.org', 'form'],
  ['*example.org', 'form'],
  [`${'a.'.repeat(126)}org`, 'too-long'],
  [`${'a'.repeat(64)}.org`, 'form'],
  ['10.0.0.1', 'address'],
  ['127.1', 'address'],
  ['0x7f.1', 'address'],
  ['0x7f000001', 'address'],
  ['example.0x7f', 'address'],
  ['2130706433', 'address'],
  ['*.0.0.1', 'address'],
  ['::1', 'address'],
  ['[::1]', 'address'],
  ['::ffff:10.0.0.1', 'address'],
  ['example.org:443', 'address'],
  ['https://example.org', 'address'],
  ['example.org/path', 'form'],
  ['user@example.org', 'form'],
  ['an example.org', 'form'],
  ['an\nexample.org', 'form'],
  ['an\0example.org', 'form'],
  ['例え.example/path', 'form'],
  ['me@例え.example', 'form'],
  ['１２７.0.0.1', 'address'],
  ['-a.example.org', 'form'],
])('%j is no name of an allowlist: %s', (text, problem) => {
  expect(parseNetworkName(text)).toEqual({ problem })
})

test.each([
  ['Example.ORG.', 'example.org'],
  ['*.Example.org', '*.example.org'],
  ['例え.example', 'xn--r8jz45g.example'],
  ['*.例え.example', '*.xn--r8jz45g.example'],
  ['_dmarc.example.org', '_dmarc.example.org'],
  [`${'a'.repeat(63)}.org`, `${'a'.repeat(63)}.org`],
])('%j is stored as %j', (text, name) => {
  expect(parseNetworkName(text)).toEqual({ name })
})

test.each([
  ['Example.org', 'example.org'],
  [' *.Example.org:8443 ', '*.example.org:8443'],
  ['example.org.:1', 'example.org:1'],
  ['例え.example:65535', 'xn--r8jz45g.example:65535'],
])('the entry %j is stored as %j', (text, entry) => {
  expect(parseNetworkEntry(text)).toEqual({ entry })
})

test.each([
  ...['', ':', ':443', '*', '*:443', '*.com', '*.com:443', '..', '0.0.0.0/0', '0.0.0.0/0:443', 'a'.repeat(1_000_000)],
  ...[
    '127.0.0.1',
    '127.0.0.1:443',
    '0x7f.1',
    '0x7f.1:443',
    '2130706433:80',
    '::1',
    '[::1]:443',
    '::ffff:10.0.0.1',
    '::ffff:10.0.0.1:443',
  ],
  ...['example.org:', 'example.org:0', 'example.org:65536', 'example.org:53', 'example.org:080', 'example.org:-1'],
  ...['example.org:1e3', 'example.org:443:443', 'example.org: 443', 'example.org:443-444', 'https://example.org:443'],
])('%j is no entry of an allowlist', (text) => {
  expect(parseNetworkEntry(text)).toHaveProperty('problem')
})

test('lists are narrowed port by port', () => {
  expect(narrowerNetwork(only('*.a.org:443', 'b.org:8443'), only('x.a.org', 'b.org'))).toEqual(only('x.a.org:443'))
  expect(narrowerNetwork(only('a.org:80', 'a.org:443'), only('a.org'))).toEqual(only('a.org'))
  expect(narrowerNetwork(only('a.org:8443'), only('a.org'))).toEqual(none)
  expect(allowsName(only('a.org'), 'a.org:443')).toBe(true)
  expect(allowsName(only('a.org:443'), 'a.org')).toBe(false)
  expect(widensNetwork(list('a.org'), list('a.org:443'))).toBe(false)
  expect(widensNetwork(list('a.org:443'), list('a.org'))).toBe(true)
  expect(widensNetwork(list('a.org'), list('a.org', 'a.org:8443'))).toBe(true)
})

test('a million characters are too long for a name', () => {
  expect(parseNetworkName('a'.repeat(1_000_000))).toEqual({ problem: 'too-long' })
})

test('presets have names that a person could enter', () => {
  const names = Object.values(networkPresets).flatMap((entries) => entries.map(({ name }) => name))
  expect(names.map((name) => parseNetworkName(name))).toEqual(names.map((name) => ({ name })))
})

test('two lists allow only what both allow, the narrower of two wildcards, and nothing without a common name', () => {
  const one = only('a.example.org', '*.b.example.org', '*.c.example.org', 'd.example.org')
  const other = only('*.example.org', 'x.b.example.org', '*.y.c.example.org', 'example.org')
  expect(narrowerNetwork(one, other)).toEqual(
    only(
      ...[
        'a.example.org',
        '*.b.example.org',
        '*.c.example.org',
        'd.example.org',
        'x.b.example.org',
        '*.y.c.example.org',
      ],
    ),
  )
  expect(narrowerNetwork(only('a.example.org'), only('b.example.org'))).toEqual(none)
  expect(narrowerNetwork(only('*.example.org'), only('example.org'))).toEqual(none)
  expect([narrowerNetwork(open, one), narrowerNetwork(one, open)]).toEqual([one, one])
  expect([narrowerNetwork(none, open), narrowerNetwork(one, none)]).toEqual([none, none])
})

test('the result of narrowing is within both, in either order', () => {
  const all = [
    open,
    none,
    only('a.org'),
    only('a.org:443', 'x.a.org:8443'),
    only('*.a.org:443'),
    only('*.a.org', 'b.org'),
    only('x.a.org'),
    only('*.x.a.org', '*.b.org'),
  ]
  for (const one of all) {
    for (const other of all) {
      const both = narrowerNetwork(one, other)
      expect([isWithinNetwork(both, one), isWithinNetwork(both, other)]).toEqual([true, true])
      expect(isWithinNetwork(both, narrowerNetwork(other, one))).toBe(true)
    }
  }
})

test.each<[NetworkPolicy | null, NetworkPolicy | null, boolean]>([
  [open, none, false],
  [open, list('a.org'), false],
  [null, list('a.org'), false],
  [list('a.org'), null, true],
  [list('a.org'), open, true],
  [list('a.org', 'b.org'), list('a.org'), false],
  [list('a.org'), list('a.org', 'b.org'), true],
  [list('*.a.org'), list('x.a.org'), false],
  [list('x.a.org'), list('*.a.org'), true],
  [list('a.org'), { kind: 'allowlist', names: ['a.org'], presets: ['github'] }, true],
  [{ kind: 'allowlist', names: [], presets: ['github'] }, list('api.github.com'), false],
  [none, list('a.org'), true],
  [none, null, true],
  [none, none, false],
])('from %j to %j widens: %s', (before, after, isWider) => {
  expect(widensNetwork(before, after)).toBe(isWider)
})

test.each<[string, LeveledPolicy[], object]>([
  ['nothing is set', [{ level: 'installation', policy: null }], { effective: open, sources: ['installation'] }],
  [
    'the thread narrows an open installation',
    [
      { level: 'installation', policy: open },
      { level: 'thread', policy: list('a.org') },
    ],
    { effective: only('a.org'), sources: ['thread'] },
  ],
  [
    'a level that is wider than an outer one decides nothing',
    [
      { level: 'installation', policy: list('a.org') },
      { level: 'workspace', policy: open },
      { level: 'thread', policy: list('a.org', 'b.org') },
    ],
    { effective: only('a.org'), sources: ['installation'] },
  ],
  [
    'two lists decide together',
    [
      { level: 'installation', policy: list('a.org', 'b.org') },
      { level: 'workspace', policy: null },
      { level: 'agent', policy: list('b.org', 'c.org') },
    ],
    { effective: only('b.org'), sources: ['installation', 'agent'] },
  ],
  [
    'nothing is allowed after one level with none',
    [
      { level: 'installation', policy: list('a.org') },
      { level: 'workspace', policy: none },
      { level: 'thread', policy: list('a.org') },
    ],
    { effective: none, sources: ['workspace'] },
  ],
])('%s', (_, levels, result) => {
  expect(effectiveNetwork(levels)).toEqual(result)
})

test('a wildcard allows every name below, but not its own', () => {
  const network = only('*.example.org', 'a.org')
  const allowed = ['x.example.org', 'y.x.example.org', 'a.org']
  const refused = ['example.org', 'notexample.org', 'b.a.org', 'example.org.evil.net']
  expect([...allowed, ...refused].filter((name) => allowsName(network, name))).toEqual(allowed)
  expect([allowsName(open, 'any.org'), allowsName(none, 'a.org')]).toEqual([true, false])
})

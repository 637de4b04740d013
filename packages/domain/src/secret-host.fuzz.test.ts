import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseSecretHost } from './secret-host.ts'

const pieces = [
  '*.',
  '.',
  '..',
  'a',
  'example',
  'org',
  '0x7f',
  '127',
  ':',
  '::',
  ':443',
  ':0',
  ':65536',
  ':8443',
  '[',
  'ü',
  '@',
  ' ',
]
const hosts = oneof(
  foreignText(300),
  array(constantFrom(...pieces), { maxLength: 12 }).map((texts) => texts.join('')),
)

test('a host of a secret is stored as one exact name with at most a port, or refused', () =>
  checkProperty(
    'secret-hosts',
    property(hosts, (text) => {
      const parsed = parseSecretHost(text)
      if ('problem' in parsed) return
      expect(parseSecretHost(parsed.host)).toEqual(parsed)
      expect(parsed.host).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[1-9]\d{0,4})?$/)
      expect(parsed.host).not.toMatch(/:443$|\.(\d+|0x[0-9a-f]*)(:|$)/)
    }),
    { runs: 500 },
  ))

test.each([
  ['api.github.com', { host: 'api.github.com' }],
  [' API.GitHub.com.:443 ', { host: 'api.github.com' }],
  ['ü.example:8443', { host: 'xn--tda.example:8443' }],
  ['', { problem: 'empty' }],
  ['a', { problem: 'form' }],
  ['..', { problem: 'form' }],
  ['*', { problem: 'wildcard' }],
  ['*.com', { problem: 'wildcard' }],
  ['api.*.com', { problem: 'wildcard' }],
  ['10.0.0.1', { problem: 'address' }],
  ['0x7f.1', { problem: 'address' }],
  ['::ffff:10.0.0.1', { problem: 'address' }],
  ['[::1]:443', { problem: 'address' }],
  ['a.example:0', { problem: 'port' }],
  ['a.example:65536', { problem: 'port' }],
  ['a.example:', { problem: 'port' }],
  ['a.example:+80', { problem: 'port' }],
  ['https://a.example', { problem: 'form' }],
  [`${'a.'.repeat(127)}a`, { problem: 'too-long' }],
  ['a'.repeat(1_000_000), { problem: 'too-long' }],
])('the host %.40s is stored or refused', (text, expected) => expect(parseSecretHost(text)).toEqual(expected))

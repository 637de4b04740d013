import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseNetworkEntry, parseNetworkName } from './network-name.ts'
import { allowsName } from './network-policy.ts'

const pieces = [
  '*.',
  '*',
  '.',
  '..',
  'a',
  'example',
  'org',
  '0x7f',
  '127',
  '::',
  '[',
  'ü',
  '１',
  '-',
  '_',
  '@',
  '/',
  ':',
  '443',
  ' ',
]
const names = oneof(
  foreignText(300),
  array(constantFrom(...pieces), { maxLength: 12 }).map((texts) => texts.join('')),
)

test('a name is stored in one form that is not an address, or refused', () =>
  checkProperty(
    'network-names',
    property(names, (text) => {
      const parsed = parseNetworkName(text)
      if ('problem' in parsed) return
      const { name } = parsed
      expect(parseNetworkName(name)).toEqual({ name })
      expect(name).toMatch(/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)+$/)
      expect(name).not.toMatch(/\.(\d+|0x[0-9a-f]*)$/)
      expect(allowsName({ kind: 'allowlist', names: [name] }, name.replace('*', 'x'))).toBe(true)
    }),
    { runs: 500 },
  ))

test('an entry is a name, also with a port, in one form, or refused', () =>
  checkProperty(
    'network-entries',
    property(names, (text) => {
      const parsed = parseNetworkEntry(text)
      if ('problem' in parsed) return
      const { entry } = parsed
      expect(parseNetworkEntry(entry)).toEqual({ entry })
      const [name = '', port] = entry.split(':')
      expect(parseNetworkName(name)).toEqual({ name })
      if (port !== undefined) expect(Number(port)).toBeGreaterThan(0)
      expect(allowsName({ kind: 'allowlist', names: [entry] }, entry.replace('*', 'x'))).toBe(true)
    }),
    { runs: 500 },
  ))
